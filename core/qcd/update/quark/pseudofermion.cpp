#include "qcd/update/quark/pseudofermion.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "numerics/normal.hpp"
#include "parallel/loops.hpp"
#include "qcd/phases.hpp"
#include "qcd/solver/field_sums.hpp"
#include "workload/exact_sum.hpp"

namespace phasewise::qcd {
namespace {

// One item is a site of one parity. Twelve pairs of normal deviates take about 100 flops each.
constexpr parallel::KernelCard draw_spinors_card{
    .name = "pseudofermions", .flops = 12.0 * 100.0, .bytes = 192.0, .vectorised = false};
constexpr parallel::KernelCard quark_action_card{.name = "quark_action",
                                                 .flops = 48.0 + 48.0 + 3.0,
                                                 .bytes = 2.0 * 192.0 + 3.0 * 8.0,
                                                 .vectorised = true};

double largest_magnitude(const std::vector<double>& terms) {
  double largest = 0.0;
  for (const double term : terms)
    largest = std::isfinite(term) ? std::max(largest, std::fabs(term))
                                  : std::numeric_limits<double>::infinity();
  return largest;
}

}  // namespace

void draw_spinors(const UpdateFields& fields, const SpinorSites& sites, std::uint32_t stream,
                  std::int64_t trajectory, Field<double>& to, workload::Listener& listener) {
  listener.kernel(draw_spinors_card, 0.5 * static_cast<double>(fields.volume()), [&] {
    const Domain& domain = fields.links.domain();
    const int lanes = sites.lanes();
    parallel::for_blocks(
        sites.vectors() * lanes, fields.threads, [&](std::int64_t begin, int n, int) {
          for (std::int64_t slot = begin; slot < begin + n; ++slot) {
            const std::int32_t own = sites.sites(0, slot / lanes)[slot % lanes];
            const auto turn = static_cast<std::uint64_t>(
                site_of(domain.size, domain.global(coordinates_of(domain.extents(), own))));
            double* spinor = to.data() + slot / lanes * spinor_reals * lanes + slot % lanes;
            for (std::uint32_t index = 0; index < 12; ++index) {
              double re, im;
              numerics::normal_pair(fields.seed, static_cast<std::uint32_t>(trajectory), turn,
                                    stream, index, re, im);
              spinor[std::int64_t{2} * index * lanes] = re / std::numbers::sqrt2;
              spinor[(std::int64_t{2} * index + 1) * lanes] = im / std::numbers::sqrt2;
            }
          }
        });
  });
}

double total_of_terms(const UpdateFields& fields, const parallel::KernelCard& card, double items,
                      const std::function<void(std::vector<double>&)>& fill,
                      workload::Listener& listener) {
  std::vector<double> terms;
  double bound = 0.0;
  listener.kernel(card, items, [&] {
    fill(terms);
    bound = largest_magnitude(terms);
  });
  listener.max(phases::bound_action, std::span(&bound, 1));
  const bool finite = std::isfinite(bound);
  workload::Parts parts{};
  if (finite && fields.real)
    parts = workload::exact_sum(static_cast<std::int64_t>(terms.size()), fields.threads, bound,
                                volume_of(fields.links.domain().size) / 2,
                                [&](std::int64_t i) { return terms[static_cast<std::size_t>(i)]; });
  listener.sum(phases::sum_action, std::span(parts));
  return finite ? workload::value_of(parts) : std::numeric_limits<double>::infinity();
}

double quark_action(const UpdateFields& fields, int lanes, double a, double b,
                    const Field<double>& phi, const Field<double>& x,
                    workload::Listener& listener) {
  const std::int64_t sites = fields.volume() / 2;
  const auto fill = [&](std::vector<double>& terms) {
    terms.resize(static_cast<std::size_t>(sites));
    parallel::with_lanes<double>(lanes, [&]<int Lanes>() {
      using V = Vector<double, Lanes>;
      parallel::for_blocks(sites / Lanes, fields.threads, [&](std::int64_t begin, int n, int) {
        for (std::int64_t vector = begin; vector < begin + n; ++vector) {
          const std::int64_t at = vector * spinor_reals * Lanes;
          const V norm = site_norm<double, Lanes>(phi.data() + at);
          const V product = site_product<double, Lanes>(phi.data() + at, x.data() + at).re;
          const V term = fused(all_lanes<double, Lanes>(b), product, a * norm);
          parallel::store(terms.data() + vector * Lanes, term);
        }
      });
    });
  };
  return total_of_terms(fields, quark_action_card, static_cast<double>(sites), fill, listener);
}

}  // namespace phasewise::qcd
