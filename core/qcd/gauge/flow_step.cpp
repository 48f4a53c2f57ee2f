#include "qcd/gauge/flow_step.hpp"

#include <array>
#include <utility>

#include "qcd/gauge/exponential.hpp"
#include "qcd/gauge/staples.hpp"

namespace phasewise::qcd {
namespace {

constexpr std::array<std::pair<int, int>, 3> above_diagonal{{{0, 1}, {0, 2}, {1, 2}}};

// K ← a Z - b K, K in `kept` as [real][lane].
template <int Lanes>
ColourMatrix<parallel::Vector<double, Lanes>> renewed(
    const FlowStage& stage, const ColourMatrix<parallel::Vector<double, Lanes>>& z, double* kept) {
  using V = parallel::Vector<double, Lanes>;
  ColourMatrix<V> k{};
  const auto next = [&](int real, const V& value) {
    double* at = kept + real * Lanes;
    const V found = stage.a * value - stage.b * parallel::load<Lanes>(at);
    parallel::store(at, found);
    return found;
  };
  k.im[0][0] = next(0, z.im[0][0]);
  k.im[1][1] = next(1, z.im[1][1]);
  k.im[2][2] = -(k.im[0][0] + k.im[1][1]);
  for (int n = 0; n < 3; ++n) {
    const auto [i, j] = above_diagonal[n];
    k.re[i][j] = next(2 + 2 * n, z.re[i][j]);
    k.im[i][j] = next(3 + 2 * n, z.im[i][j]);
    k.re[j][i] = -k.re[i][j];
    k.im[j][i] = k.im[i][j];
  }
  return k;
}

template <int Lanes>
void stage_at(const FlowStage& stage, double step, const LaneSites& sites,
              const LanePlace<Lanes>& x, const LanePlace<Lanes>& next, std::int64_t number,
              double* k, Matrix* to) {
  using V = parallel::Vector<double, Lanes>;
  for (int mu = 0; mu < axes; ++mu) {
    const ColourMatrix<V> link = x.link(mu);
    const ColourMatrix<V> z = traceless_antihermitian(
        1.0, product<Side::plain, Side::adjoint>(staples_before(next, x, mu), link));
    ColourMatrix<V> exponent =
        renewed<Lanes>(stage, z, k + algebra_reals * Lanes * (axes * number + mu));
    scale(exponent, stage.c * step);
    Matrix* links[Lanes];
    point_at_links<Lanes>(sites, x.vector(), mu, to, links);
    store_links<Lanes>(product(exponential<Lanes>(exponent), link), links);
  }
}

}  // namespace

parallel::KernelCard flow_card() {
  return {.name = "flow",
          .flops = axes * (staples_flops + 2.0 * 198.0 + exponential_flops + 60.0),
          .bytes = 4.0 * 576.0 + axes * 2.0 * algebra_reals * 8.0,
          .vectorised = true};
}

void flow_stage(const FlowStage& stage, double step, const LaneMatrices& from, int threads,
                std::vector<double>& k, Links& to) {
  const LaneSites& sites = from.sites();
  parallel::with_lanes<double>(sites.lanes(), [&]<int Lanes>() {
    for_places<Lanes>(
        from, threads,
        [&](const LanePlace<Lanes>& x, const LanePlace<Lanes>& next, std::int64_t number) {
          stage_at<Lanes>(stage, step, sites, x, next, number, k.data(), to.matrices());
        });
  });
}

}  // namespace phasewise::qcd
