#include "qcd/gauge/flow_step.hpp"

#include <utility>

#include "qcd/gauge/exponential.hpp"

namespace phasewise::qcd {
namespace {

constexpr std::array<std::pair<int, int>, 3> above_diagonal{{{0, 1}, {0, 2}, {1, 2}}};

// K ← a Z - b K, K in `kept` with the reals of the lanes one after the other.
template <int Lanes>
ColourMatrix<parallel::Vector<double, Lanes>> renewed(
    const FlowStage& stage, const ColourMatrix<parallel::Vector<double, Lanes>>& z,
    double* const (&kept)[Lanes]) {
  using V = parallel::Vector<double, Lanes>;
  ColourMatrix<V> k{};
  const auto next = [&](int real, const V& value) {
    V old{};
    if constexpr (Lanes == 1)
      old = kept[0][real];
    else
      for (int lane = 0; lane < Lanes; ++lane) old[lane] = kept[lane][real];
    const V found = stage.a * value - stage.b * old;
    for (int lane = 0; lane < Lanes; ++lane)
      kept[lane][real] = parallel::lane_of<double, Lanes>(found, lane);
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
void stage_at(const FlowStage& stage, double step, const SiteLanes<Lanes>& x, std::int64_t first,
              int count, double* k, Matrix* to) {
  using V = parallel::Vector<double, Lanes>;
  for (int mu = 0; mu < axes; ++mu) {
    const ColourMatrix<V> link = x.link(mu);
    const ColourMatrix<V> z =
        traceless_antihermitian(1.0, product<Side::plain, Side::adjoint>(staples(x, mu), link));
    double spare[algebra_reals] = {};
    double* kept[Lanes];
    for (int lane = 0; lane < Lanes; ++lane)
      kept[lane] = lane < count ? k + algebra_reals * (axes * (first + lane) + mu) : spare;
    ColourMatrix<V> exponent = renewed<Lanes>(stage, z, kept);
    scale(exponent, stage.c * step);
    const ColourMatrix<V> moved = product(exponential<Lanes>(exponent), link);
    for (int lane = 0; lane < count; ++lane)
      to[static_cast<std::int64_t>(axes) * x.site(lane) + mu] = matrix_of<Lanes>(moved, lane);
  }
}

}  // namespace

parallel::KernelCard flow_card() {
  return {.name = "flow",
          .flops = axes * (staples_flops + 2.0 * 198.0 + exponential_flops + 60.0),
          .bytes = 2.0 * 576.0 + axes * 2.0 * algebra_reals * 8.0,
          .vectorised = true};
}

void flow_stage(const FlowStage& stage, double step, const LinkSites& sites, const Links& from,
                int threads, int lanes, std::vector<double>& k, Links& to) {
  parallel::with_lanes<double>(lanes, [&]<int Lanes>() {
    for_site_lanes<Lanes>(sites, from, threads,
                          [&](const SiteLanes<Lanes>& x, std::int64_t first, int count) {
                            stage_at<Lanes>(stage, step, x, first, count, k.data(), to.matrices());
                          });
  });
}

}  // namespace phasewise::qcd
