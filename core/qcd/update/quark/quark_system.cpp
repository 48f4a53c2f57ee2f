#include "qcd/update/quark/quark_system.hpp"

#include <cmath>

#include "numerics/elementary.hpp"

namespace phasewise::qcd {
namespace {

// One item is an odd site.
constexpr parallel::KernelCard clover_action_card{
    .name = "clover_action", .flops = 40.0, .bytes = 4.0 * 8.0, .vectorised = false};

}  // namespace

QuarkSystem::QuarkSystem(const Description& description, UpdateFields& fields)
    : description_(description),
      fields_(fields),
      solver_(description, Method::cg, fields.position, fields.threads, fields.real),
      force_(fields, description.phases) {
  if (description.action.clover()) clover_ = std::make_unique<Clover>(fields, description.action);
  for (Field<double>& field : scratch_) field = this->field();
  if (fields.real) collected_ = Momenta(fields.own_links());
}

void QuarkSystem::set_manner(const Manner& manner) {
  solver_.set_manner(manner);
  version_ = 0;
}

exchange::Exchanges QuarkSystem::exchanges() const {
  exchange::Exchanges all = solver_.exchanges();
  const auto append = [&](const exchange::Exchanges& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(force_.exchanges());
  if (clover_) append(clover_->force.exchanges());
  return all;
}

void QuarkSystem::take_links(workload::Listener& listener) {
  if (version_ == fields_.version) return;
  version_ = fields_.version;
  solver_.set_links(
      {.links = &fields_.links,
       .factors = {description_.phases, description_.action.weights()},
       .in_lanes = [this](int) -> const LaneMatrices& { return clover_->force.links(); }},
      listener);
  const HaloHopping<double>& hopping = matrix().hopping();
  if (fields_.real && hopping.kernel().lanes() != sites_.lanes())
    sites_ = SpinorSites(hopping.domain(), hopping.kernel());
}

// The updates of a plan are spread over its iterations.
void QuarkSystem::iterate(const SolveControl& control, workload::Listener& listener) {
  using Until = SolveControl::Until;
  updates_ = 0;
  const auto update = [&] {
    solver_.update(listener);
    ++updates_;
  };
  if (control.until == Until::planned) {
    const auto planned = static_cast<std::int64_t>(std::llround(control.iterations));
    const auto updates_by = [&](std::int64_t iteration) {
      return std::floor(control.updates * static_cast<double>(iteration) /
                        static_cast<double>(planned));
    };
    for (std::int64_t done = 0; done < planned; ++done) {
      solver_.iterate(listener);
      if (updates_by(done + 1) > updates_by(done)) update();
    }
  }
  if (control.until != Until::converged || matrix().singular()) return;
  while (!solver_.done()) {
    solver_.iterate(listener);
    if (solver_.wants_update()) update();
  }
}

bool QuarkSystem::solve(const QuarkSolve& solve, const SolveControl& control, SolveCounts& counts,
                        workload::Listener& listener) {
  solver_.begin(solve.squared, {solve.tolerance, description_.iterations}, solve.shift, listener);
  iterate(control, listener);
  solver_.end(listener);
  ++counts.solves;
  counts.iterations += solver_.iterations();
  counts.updates += updates_;
  const bool failed = control.until == SolveControl::Until::converged &&
                      (!solver_.converged() || matrix().singular());
  if (failed) ++counts.unconverged;
  return !failed;
}

void QuarkSystem::tell_iteration(double shift, workload::Listener& listener) {
  solver_.set_shift(shift);
  solver_.iterate(listener);
}

void QuarkSystem::tell_update(double shift, workload::Listener& listener) {
  solver_.set_shift(shift);
  solver_.update(listener);
}

void QuarkSystem::move(double b, Determinant determinant, double step, ForceNorms& norms,
                       workload::Listener& listener) {
  const Field<double>& x = solution();
  Field<double>&x_odd = scratch_[0], &y = scratch_[1], &y_odd = scratch_[2];
  Dirac<double>& matrix = this->matrix();
  matrix.apply(false, x, x_odd, y, listener);
  matrix.odd_part(true, y, y_odd, listener);
  const SpinorPair of_x{&x, &x_odd}, of_y{&y, &y_odd};
  // The fields on odd sites still lack this factor; each term of the hopping matrix has one.
  const double odd = matrix.odd_factor();
  force_.set(matrix.hopping(), sites_, of_x, of_y, -0.5 * b * odd, collected_, listener);
  if (clover_) {
    clover_->tensor.set(sites_, of_x, of_y, b, odd * odd,
                        determinant == Determinant::with ? &matrix.clover() : nullptr,
                        clover_->force.tensor(), listener);
    clover_->force.add(-1.0, collected_, nullptr, listener);
  }
  move_momenta(fields_, collected_, step, norms, listener);
}

double QuarkSystem::determinant_action(workload::Listener& listener) {
  const std::int64_t sites = fields_.volume() / 2;
  // The block of A² + µ² has the square of the determinant's magnitude already.
  const double factor = description_.action.twisted_mass == 0.0 ? -1.0 : -0.5;
  const auto fill = [&](std::vector<double>& terms) {
    const double* squared = matrix().clover().squared_determinants();
    terms.resize(static_cast<std::size_t>(sites));
    parallel::for_blocks(sites, fields_.threads, [&](std::int64_t begin, int n, int) {
      for (std::int64_t i = begin; i < begin + n; ++i)
        terms[static_cast<std::size_t>(i)] = std::isnormal(squared[i]) && squared[i] > 0.0
                                                 ? factor * numerics::log_positive(squared[i])
                                                 : infinite;
    });
  };
  return total_of_terms(fields_, clover_action_card, static_cast<double>(sites), fill, listener);
}

double QuarkSystem::squared_length(const Field<double>& field, workload::Listener& listener) const {
  return quark_action(fields_, sites_.lanes(), 1.0, 0.0, field, field, listener);
}

}  // namespace phasewise::qcd
