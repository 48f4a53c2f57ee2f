#include "qcd/gauge/stout.hpp"

#include "qcd/gauge/exponential.hpp"
#include "qcd/gauge/lane_matrices.hpp"
#include "qcd/gauge/staples.hpp"

namespace phasewise::qcd {
namespace {

template <int Lanes>
void smooth_at(const LanePlace<Lanes>& x, double weight, const LaneSites& sites, Matrix* to) {
  for (int mu = 0; mu < axes; ++mu) {
    const auto link = x.link(mu);
    auto around = staples(x, mu);
    scale(around, weight);
    const auto exponent =
        traceless_antihermitian(1.0, product<Side::plain, Side::adjoint>(around, link));
    Matrix* links[Lanes];
    point_at_links<Lanes>(sites, x.vector(), mu, to, links);
    store_links<Lanes>(product(exponential<Lanes>(exponent), link), links);
  }
}

}  // namespace

parallel::KernelCard stout_card() {
  return {.name = "stout",
          .flops = axes * (staples_flops + 18.0 + 2.0 * 198.0 + 40.0 + exponential_flops),
          .bytes = 4.0 * 576.0,
          .vectorised = true};
}

void stout_step(const Links& from, double weight, int threads, int lanes, Links& to) {
  const auto sites = std::make_shared<LaneSites>(from.box(), 1, lanes);
  LaneMatrices links(sites, axes);
  links.take(from.matrices(), threads);
  parallel::with_lanes<double>(sites->lanes(), [&]<int Lanes>() {
    for_places<Lanes>(links, threads,
                      [&](const LanePlace<Lanes>& x, const LanePlace<Lanes>& /*next*/,
                          std::int64_t) { smooth_at<Lanes>(x, weight, *sites, to.matrices()); });
  });
}

}  // namespace phasewise::qcd
