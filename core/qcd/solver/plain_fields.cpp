#include "qcd/solver/plain_fields.hpp"

#include <algorithm>
#include <cmath>

#include "qcd/phases.hpp"
#include "workload/bounded_sums.hpp"
#include "workload/exact_sum.hpp"

namespace phasewise::qcd {

std::vector<double> applied(Dirac<double>& matrix, const double* psi, bool dagger,
                            workload::Listener& listener) {
  const std::int64_t reals = matrix.hopping().reals();
  std::array<Field<double>, 2> fields;
  for (int parity = 0; parity < 2; ++parity) {
    fields[parity] = zeros<double>(reals);
    matrix.hopping().kernel().read_spinors(psi, parity, fields[parity].data());
  }
  Field<double> result = zeros<double>(reals);
  std::vector<double> plain(static_cast<std::size_t>(2 * reals));
  for (int to = 0; to < 2; ++to) {
    matrix.full(to, dagger, fields[to], fields[1 - to], result, listener);
    matrix.hopping().kernel().write_spinors(result.data(), to, plain.data());
  }
  return plain;
}

// The largest term bounds all of them.
double length_of(const std::vector<double>& field, const Domain& domain, int threads,
                 workload::Listener& listener) {
  const auto term = [&](std::int64_t site) {
    return site_norm<double, 1>(field.data() + site * spinor_reals);
  };
  double largest = 0.0;
  for (std::int64_t site = 0; site < domain.volume(); ++site)
    largest = std::fmax(largest, term(site));
  listener.max(phases::sum_source, std::span(&largest, 1));
  workload::Parts parts = workload::exact_sum(
      domain.volume(), threads, workload::bound_room * largest, volume_of(domain.size), term);
  listener.sum(phases::sum_source, std::span(parts));
  return std::sqrt(workload::value_of(parts));
}

std::vector<double> solution_for(Solver& solver, const std::vector<double>& b, double length,
                                 workload::Listener& listener) {
  solver.set_source(b, length);
  for (solver.begin(listener); !solver.done();) {
    solver.iterate(listener);
    if (solver.wants_update()) solver.update(listener);
  }
  solver.end(listener);
  std::vector<double> x(b.size());
  for (int parity = 0; parity < 2; ++parity)
    solver.matrix().hopping().kernel().write_spinors(solver.solution()[parity].data(), parity,
                                                     x.data());
  return x;
}

}  // namespace phasewise::qcd
