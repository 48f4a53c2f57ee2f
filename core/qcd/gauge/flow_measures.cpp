#include "qcd/gauge/flow_measures.hpp"

#include <numbers>

namespace phasewise::qcd {
namespace {

constexpr int plane_count = 6;  // xy xz xt yz yt zt
// An element of F is at most 4/3, since it is a mean of four unitary matrices' parts without its
// trace. A term of a site is at most the sum of three traces of a product of two, or of 18 elements
// of plaquettes.
constexpr double largest_term = 256.0;

template <class V>
struct Leaves {
  ColourMatrix<V> sum;
  V plaquette;
};

// The four plaquettes of a plane that begin and end at the site, all with the same sense.
template <int Lanes>
Leaves<parallel::Vector<double, Lanes>> leaves(const SiteLanes<Lanes>& x, int mu, int nu) {
  using V = parallel::Vector<double, Lanes>;
  using enum Side;
  const SiteLanes<Lanes> right = x.ahead(mu), left = x.behind(mu), up = x.ahead(nu),
                         down = x.behind(nu), down_left = left.behind(nu);
  const ColourMatrix<V> link_mu = x.link(mu), link_nu = x.link(nu);
  const ColourMatrix<V> left_mu = left.link(mu), left_nu = left.link(nu);
  const ColourMatrix<V> down_mu = down.link(mu), down_nu = down.link(nu);
  Leaves<V> found;
  found.sum =
      product<plain, adjoint>(product(link_mu, right.link(nu)), product(link_nu, up.link(mu)));
  found.plaquette = found.sum.re[0][0] + found.sum.re[1][1] + found.sum.re[2][2];
  add(found.sum, product(product<plain, adjoint>(link_nu, left.ahead(nu).link(mu)),
                         product<adjoint, plain>(left_nu, left_mu)));
  add(found.sum, product<adjoint, plain>(product(down_left.link(nu), left_mu),
                                         product(down_left.link(mu), down_nu)));
  add(found.sum, product(product<adjoint, plain>(down_nu, down_mu),
                         product<plain, adjoint>(right.behind(nu).link(nu), link_mu)));
  return found;
}

template <int Lanes>
void measure_at(const SiteLanes<Lanes>& x, std::int64_t first, int count,
                std::array<std::vector<double>, flow_values>& terms) {
  using V = parallel::Vector<double, Lanes>;
  ColourMatrix<V> f[plane_count];
  V plaquettes{}, space{}, time{};
  int plane = 0;
  for (int mu = 0; mu < axes; ++mu)
    for (int nu = mu + 1; nu < axes; ++nu, ++plane) {
      const Leaves<V> four = leaves<Lanes>(x, mu, nu);
      plaquettes += four.plaquette;
      f[plane] = traceless_antihermitian(0.25, four.sum);
      (nu == axes - 1 ? time : space) -= real_trace_of_product(f[plane], f[plane]);
    }
  const V charge = real_trace_of_product(f[0], f[5]) - real_trace_of_product(f[1], f[4]) +
                   real_trace_of_product(f[2], f[3]);
  const V found[flow_values] = {space, time, charge, plaquettes};
  for (int value = 0; value < flow_values; ++value)
    for (int lane = 0; lane < count; ++lane)
      terms[value][static_cast<std::size_t>(first + lane)] =
          parallel::lane_of<double, Lanes>(found[value], lane);
}

}  // namespace

// Each plane has twelve products of matrices, and three traces follow. A site reads its links and
// the numbers of its neighbours; its terms are written, and read by the sum.
parallel::KernelCard flow_measures_card() {
  return {.name = "flow_measures",
          .flops = plane_count * (12.0 * 198.0 + 3.0 * 18.0 + 40.0 + 36.0) + 3.0 * 36.0,
          .bytes = 576.0 + 2.0 * flow_values * 8.0 + 32.0,
          .vectorised = true};
}

FlowSums flow_sums(const LinkSites& sites, const Links& links, int threads, int lanes) {
  const std::size_t own = sites.own().size();
  std::array<std::vector<double>, flow_values> terms;
  for (std::vector<double>& value : terms) value.resize(own);
  parallel::with_lanes<double>(lanes, [&]<int Lanes>() {
    for_site_lanes<Lanes>(sites, links, threads,
                          [&](const SiteLanes<Lanes>& x, std::int64_t first, int count) {
                            measure_at<Lanes>(x, first, count, terms);
                          });
  });
  FlowSums sums{};
  const std::int64_t all = volume_of(links.domain().size);
  for (int value = 0; value < flow_values; ++value)
    sums[value] = workload::exact_sum(
        static_cast<std::int64_t>(own), threads, largest_term, all,
        [&](std::int64_t i) { return terms[value][static_cast<std::size_t>(i)]; });
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
