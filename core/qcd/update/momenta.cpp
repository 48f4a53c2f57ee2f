#include "qcd/update/momenta.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "numerics/normal.hpp"
#include "qcd/gauge/colour_matrix.hpp"
#include "qcd/phases.hpp"
#include "qcd/random_streams.hpp"
#include "workload/exact_sum.hpp"

namespace phasewise::qcd {
namespace {

// One item is a link. Four pairs of normal deviates take about 100 flops each.
constexpr parallel::KernelCard draw_card{
    .name = "momenta", .flops = 420.0, .bytes = 144.0, .vectorised = false};
// Twice over the momenta: for the largest term, and for the sum.
constexpr parallel::KernelCard kinetic_card{
    .name = "kinetic", .flops = 2.0 * 36.0, .bytes = 2.0 * 144.0, .vectorised = false};
// Reads the force, and reads and writes the momenta; norm and sum of norms.
constexpr parallel::KernelCard move_card{.name = "move_momenta",
                                         .flops = 36.0 + 37.0,
                                         .bytes = 3.0 * 144.0 + 3.0 * 8.0,
                                         .vectorised = false};

const double* reals_of(const Matrix& m) { return &m.e[0][0].re; }
double* reals_of(Matrix& m) { return &m.e[0][0].re; }

// Σ |P_ij|², which is -tr P² of an anti-Hermitian matrix.
double squared(const Matrix& p) {
  double sum = 0.0;
  for (int i = 0; i < matrix_reals; ++i) sum = std::fma(reals_of(p)[i], reals_of(p)[i], sum);
  return sum;
}

// i Σ p_a λ_a/2 with the matrices λ_a of Gell-Mann.
Matrix momentum(const std::array<double, 8>& p) {
  const double eighth = p[7] / std::sqrt(3.0);
  Matrix m;
  const auto off_diagonal = [&](int i, int j, double real, double imaginary) {
    m.e[i][j] = {0.5 * imaginary, 0.5 * real};
    m.e[j][i] = {-0.5 * imaginary, 0.5 * real};
  };
  off_diagonal(0, 1, p[0], p[1]);
  off_diagonal(0, 2, p[3], p[4]);
  off_diagonal(1, 2, p[5], p[6]);
  m.e[0][0].im = 0.5 * (p[2] + eighth);
  m.e[1][1].im = 0.5 * (eighth - p[2]);
  m.e[2][2].im = -eighth;
  return m;
}

template <class F>
void for_links(std::int64_t links, int threads, F&& f) {
  parallel::for_blocks(links, threads, [&](std::int64_t begin, int n, int) {
    for (std::int64_t link = begin; link < begin + n; ++link) f(link);
  });
}

}  // namespace

UpdateFields::UpdateFields(const Position& where, Links& given, std::uint64_t seed_given,
                           int threads_given, int lanes_given, bool has_memory)
    : position(where),
      links(given),
      threads(threads_given),
      lanes(lanes_given),
      real(has_memory),
      seed(seed_given) {
  if (!real) return;
  sites = LinkSites(links);
  momenta = Momenta(own_links());
}

double largest_of(const double* values, std::int64_t count, int threads) {
  const std::int64_t blocks = (count + parallel::block_size - 1) / parallel::block_size;
  std::vector<double> of_block(static_cast<std::size_t>(blocks));
  parallel::for_blocks(count, threads, [&](std::int64_t begin, int n, int) {
    double largest = -infinite;
    for (std::int64_t i = begin; i < begin + n; ++i)
      largest = std::isfinite(values[i]) ? std::max(largest, values[i]) : infinite;
    of_block[static_cast<std::size_t>(begin / parallel::block_size)] = largest;
  });
  double largest = count > 0 ? of_block.front() : 0.0;
  for (const double one : of_block) largest = std::max(largest, one);
  return largest;
}

void move_momenta(UpdateFields& fields, const Momenta& force, double step, ForceNorms& norms,
                  workload::Listener& listener) {
  listener.kernel(move_card, static_cast<double>(fields.own_links()), [&] {
    for_links(fields.own_links(), fields.threads, [&](std::int64_t link) {
      const Matrix& f = force[link];
      double* p = reals_of(fields.momenta[link]);
      for (int i = 0; i < matrix_reals; ++i) p[i] = std::fma(-step, reals_of(f)[i], p[i]);
      norms.add(link, 2.0 * squared(f));
    });
  });
}

void draw_momenta(UpdateFields& fields, std::int64_t trajectory, workload::Listener& listener) {
  listener.kernel(draw_card, static_cast<double>(fields.own_links()), [&] {
    const Domain& domain = fields.links.domain();
    for_links(fields.own_links(), fields.threads, [&](std::int64_t link) {
      const Extents at = coordinates_of(domain.extents(), link / axes);
      const auto turn =
          static_cast<std::uint64_t>(axes * site_of(domain.size, domain.global(at)) + link % axes);
      std::array<double, 8> p;
      for (std::uint32_t pair = 0; pair < 4; ++pair)
        numerics::normal_pair(fields.seed, static_cast<std::uint32_t>(trajectory), turn,
                              streams::momenta, pair, p[2 * pair], p[2 * pair + 1]);
      fields.momenta[link] = momentum(p);
    });
  });
}

double kinetic_energy(const UpdateFields& fields, workload::Listener& listener) {
  double bound = 0.0;
  workload::Parts parts{};
  const std::int64_t links = fields.own_links();
  const std::int64_t all = axes * volume_of(fields.links.domain().size);
  std::vector<double> terms(fields.real ? static_cast<std::size_t>(links) : 0);
  listener.kernel(kinetic_card, static_cast<double>(links), [&] {
    for_links(links, fields.threads, [&](std::int64_t link) {
      terms[static_cast<std::size_t>(link)] = squared(fields.momenta[link]);
    });
    bound = largest_of(terms.data(), links, fields.threads);
  });
  listener.max(phases::bound_action, std::span(&bound, 1));
  const bool finite = std::isfinite(bound);
  if (finite && fields.real)
    parts = workload::exact_sum(links, fields.threads, bound, all, [&](std::int64_t link) {
      return terms[static_cast<std::size_t>(link)];
    });
  listener.sum(phases::sum_action, std::span(parts));
  return finite ? workload::value_of(parts) : infinite;
}

}  // namespace phasewise::qcd
