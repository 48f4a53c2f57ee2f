#include "qcd/gauge/flow_measures.hpp"

#include <numbers>

#include "qcd/gauge/leaves.hpp"

namespace phasewise::qcd {
namespace {

constexpr int plane_count = 6;  // xy xz xt yz yt zt
// An element of F is at most 4/3, since it is a mean of four unitary matrices' parts without its
// trace. A term of a site is at most the sum of three traces of a product of two, or of 18 elements
// of plaquettes.
constexpr double largest_term = 256.0;

template <int Lanes>
void measure_at(const LaneSites& sites, const LanePlace<Lanes>& x, std::int64_t number,
                std::array<std::vector<double>, flow_values>& terms) {
  using V = parallel::Vector<double, Lanes>;
  ColourMatrix<V> f[plane_count];
  V plaquettes{}, space{}, time{};
  int plane = 0;
  for (int mu = 0; mu < axes; ++mu)
    for (int nu = mu + 1; nu < axes; ++nu, ++plane) {
      auto [sum, second, third, fourth] = leaves(x, mu, nu);
      plaquettes += sum.re[0][0] + sum.re[1][1] + sum.re[2][2];
      add(sum, second);
      add(sum, third);
      add(sum, fourth);
      f[plane] = traceless_antihermitian(0.25, sum);
      (nu == axes - 1 ? time : space) -= real_trace_of_product(f[plane], f[plane]);
    }
  const V charge = real_trace_of_product(f[0], f[5]) - real_trace_of_product(f[1], f[4]) +
                   real_trace_of_product(f[2], f[3]);
  const V found[flow_values] = {space, time, charge, plaquettes};
  for (int value = 0; value < flow_values; ++value)
    for (int lane = 0; lane < Lanes; ++lane)
      terms[value][static_cast<std::size_t>(sites.own_site(number, lane))] =
          parallel::lane_of<double, Lanes>(found[value], lane);
}

}  // namespace

// Each plane has twelve products of matrices, and three traces follow. A site reads its links and
// the numbers of its neighbours; its terms are written, and read by the sum.
parallel::KernelCard flow_measures_card() {
  return {.name = "flow_measures",
          .flops = plane_count * (12.0 * 198.0 + 3.0 * 18.0 + 40.0 + 36.0) + 3.0 * 36.0,
          .bytes = 3.0 * 576.0 + 2.0 * flow_values * 8.0,
          .vectorised = true};
}

FlowSums flow_sums(const LaneMatrices& links, const Domain& domain, int threads) {
  const LaneSites& sites = links.sites();
  const std::int64_t own = domain.volume(), all = volume_of(domain.size);
  std::array<std::vector<double>, flow_values> terms;
  for (std::vector<double>& value : terms) value.resize(static_cast<std::size_t>(own));
  parallel::with_lanes<double>(sites.lanes(), [&]<int Lanes>() {
    for_places<Lanes>(links, threads,
                      [&](const LanePlace<Lanes>& x, const LanePlace<Lanes>& /*next*/,
                          std::int64_t number) { measure_at<Lanes>(sites, x, number, terms); });
  });
  FlowSums sums{};
  for (int value = 0; value < flow_values; ++value)
    sums[value] = workload::exact_sum(own, threads, largest_term, all, [&](std::int64_t i) {
      return terms[value][static_cast<std::size_t>(i)];
    });
  return sums;
}

FlowValues values_of(const FlowSums& sums, const Extents& size) {
  const auto sites = static_cast<double>(volume_of(size));
  return {.energy_space = workload::value_of(sums[0]) / sites,
          .energy_time = workload::value_of(sums[1]) / sites,
          .charge = -workload::value_of(sums[2]) / (4.0 * std::numbers::pi * std::numbers::pi),
          .plaquette = workload::value_of(sums[3]) / (18.0 * sites)};
}

}  // namespace phasewise::qcd
