#include "qcd/gauge/loop_sums.hpp"

#include "qcd/gauge/loops.hpp"

namespace phasewise::qcd {
namespace {

// Real traces of products of unitary matrices are at most 3. This bounds the sum over all planes,
// even for matrices that are not quite unitary.
constexpr double bound = 64.0;

void add(workload::Parts& sum, const workload::Parts& more) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

// Plaquettes in space and with t, rectangles, and links that begin at a site: what add_local adds.
constexpr int local_values = 4;

template <class Place>
std::array<typename Place::V, local_values> local_at(const Place& x, bool rectangles) {
  using V = typename Place::V;
  std::array<V, local_values> found{};
  found[0] = plaquette_at(x, 0, 1) + plaquette_at(x, 0, 2) + plaquette_at(x, 1, 2);
  found[1] = plaquette_at(x, 0, 3) + plaquette_at(x, 1, 3) + plaquette_at(x, 2, 3);
  for (int mu = 0; mu < axes; ++mu) {
    for (int nu = 0; rectangles && nu < axes; ++nu)
      if (mu != nu) found[2] += rectangle_at(x, mu, nu);
    const ColourMatrix<V> link = x.link(mu);
    found[3] += link.re[0][0] + link.re[1][1] + link.re[2][2];
  }
  return found;
}

}  // namespace

void add_local(const LaneMatrices& links, const Domain& domain, bool rectangles, int threads,
               LoopSums& sums) {
  const LaneSites& sites = links.sites();
  std::array<std::vector<double>, local_values> terms;
  for (std::vector<double>& value : terms) value.resize(static_cast<std::size_t>(domain.volume()));
  parallel::with_lanes<double>(sites.lanes(), [&]<int Lanes>() {
    for_places<Lanes>(
        links, threads,
        [&](const LanePlace<Lanes>& x, const LanePlace<Lanes>& /*next*/, std::int64_t number) {
          const auto found = local_at(x, rectangles);
          for (int value = 0; value < local_values; ++value)
            for (int lane = 0; lane < Lanes; ++lane)
              terms[value][static_cast<std::size_t>(sites.own_site(number, lane))] =
                  parallel::lane_of<double, Lanes>(found[value], lane);
        });
  });
  for (int value = 0; value < local_values; ++value)
    if (value != 2 || rectangles)
      add(sums[value], workload::exact_sum(domain.volume(), threads, bound, volume_of(domain.size),
                                           [&](std::int64_t i) {
                                             return terms[value][static_cast<std::size_t>(i)];
                                           }));
}

void add_local(const Links& links, const std::vector<Extents>& sites, const Extents& size,
               bool rectangles, int threads, LoopSums& sums) {
  const auto over_sites = [&](int number, auto&& term) {
    add(sums[number], workload::exact_sum(static_cast<std::int64_t>(sites.size()), threads, bound,
                                          volume_of(size), [&](std::int64_t i) {
                                            return term(sites[static_cast<std::size_t>(i)]);
                                          }));
  };
  over_sites(0, [&](const Extents& at) {
    return plaquette(links, at, 0, 1) + plaquette(links, at, 0, 2) + plaquette(links, at, 1, 2);
  });
  over_sites(1, [&](const Extents& at) {
    return plaquette(links, at, 0, 3) + plaquette(links, at, 1, 3) + plaquette(links, at, 2, 3);
  });
  if (rectangles)
    over_sites(2, [&](const Extents& at) {
      double sum = 0.0;
      for (int mu = 0; mu < axes; ++mu)
        for (int nu = 0; nu < axes; ++nu)
          if (mu != nu) sum += rectangle(links, at, mu, nu);
      return sum;
    });
  over_sites(3, [&](const Extents& at) {
    double sum = 0.0;
    for (int mu = 0; mu < axes; ++mu) sum += real_trace(links.at(at, mu));
    return sum;
  });
}

void multiply_along(const Links& links, const Extents& box, int axis, bool first, int threads,
                    std::vector<Matrix>& product) {
  Extents face = box;
  face[axis] = 1;
  const std::vector<Extents> sites = sites_in(face);
  parallel::for_blocks(static_cast<std::int64_t>(sites.size()), threads,
                       [&](std::int64_t begin, int n, int) {
                         for (std::int64_t i = begin; i < begin + n; ++i) {
                           Extents at = sites[static_cast<std::size_t>(i)];
                           Matrix& line = product[static_cast<std::size_t>(i)];
                           if (first) line = links.at(at, axis);
                           for (at[axis] = first ? 1 : 0; at[axis] < box[axis]; ++at[axis])
                             line = line * links.at(at, axis);
                         }
                       });
}

void add_loops(const std::vector<Matrix>& product, std::int64_t lines, int axis,
               const Extents& size, int threads, LoopSums& sums) {
  const auto trace = [&](std::int64_t i, bool imaginary) {
    const Matrix& line = product[static_cast<std::size_t>(i)];
    if (!imaginary) return real_trace(line);
    return line.e[0][0].im + line.e[1][1].im + line.e[2][2].im;
  };
  for (const bool imaginary : {false, true})
    add(sums[4 + 2 * axis + imaginary],
        workload::exact_sum(lines, threads, bound, volume_of(size) / size[axis],
                            [&](std::int64_t i) { return trace(i, imaginary); }));
}

GaugeValues values_of(const LoopSums& sums, const Extents& size) {
  GaugeValues values;
  const auto sites = static_cast<double>(volume_of(size));
  values.plaquette_space = workload::value_of(sums[0]) / (9.0 * sites);
  values.plaquette_time = workload::value_of(sums[1]) / (9.0 * sites);
  values.rectangle = workload::value_of(sums[2]) / (36.0 * sites);
  values.link_trace = workload::value_of(sums[3]) / (12.0 * sites);
  for (int axis = 0; axis < axes; ++axis) {
    const double lines = sites / size[axis];
    values.polyakov[axis] = {workload::value_of(sums[4 + 2 * axis]) / (3.0 * lines),
                             workload::value_of(sums[5 + 2 * axis]) / (3.0 * lines)};
  }
  return values;
}

}  // namespace phasewise::qcd
