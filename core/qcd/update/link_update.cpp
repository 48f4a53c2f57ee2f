#include "qcd/update/link_update.hpp"

#include <algorithm>
#include <atomic>

#include "parallel/lane_values.hpp"
#include "parallel/loops.hpp"
#include "qcd/gauge/exponential.hpp"

namespace phasewise::qcd {
namespace {

// Calls f(the first link, how many are new) for all, `Lanes` at once; the last ones may overlap
// with those before.
template <int Lanes, class F>
void for_link_lanes(std::int64_t links, int threads, F&& f) {
  parallel::for_blocks(links, threads, [&](std::int64_t begin, int n, int) {
    for (std::int64_t first = begin; first < begin + n; first += Lanes)
      f(first, static_cast<int>(std::min<std::int64_t>(Lanes, begin + n - first)));
  });
}

// The largest deviation of an element of a a† from 1, and of the third row.
template <int Lanes>
parallel::Vector<double, Lanes> deviation(const ColourMatrix<parallel::Vector<double, Lanes>>& a) {
  using V = parallel::Vector<double, Lanes>;
  using parallel::fused;
  V largest{};
  const auto take = [&](const V& difference) {
    largest = parallel::larger(largest, difference);
    largest = parallel::larger(largest, V(-difference));
  };
  const ColourMatrix<V> square = product<Side::plain, Side::adjoint>(a, a);
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      take(i == j ? V(square.re[i][j] - 1.0) : square.re[i][j]);
      take(square.im[i][j]);
    }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    // The conjugate of the cross product of the first rows.
    V re = fused(-a.im[0][j], a.im[1][k], a.re[0][j] * a.re[1][k]);
    re = fused(a.im[0][k], a.im[1][j], fused(-a.re[0][k], a.re[1][j], re));
    V im = fused(a.im[0][j], a.re[1][k], a.re[0][j] * a.im[1][k]);
    im = fused(-a.im[0][k], a.re[1][j], fused(-a.re[0][k], a.im[1][j], im));
    take(V(a.re[2][i] - re));
    take(V(a.im[2][i] + im));
  }
  return largest;
}

// Calls f(link) for the links that have left SU(3), link(i) being the i-th one's place.
template <int Lanes, class Link, class F>
void for_left_links(std::int64_t links, int threads, Link&& link, F&& f) {
  for_link_lanes<Lanes>(links, threads, [&](std::int64_t first, int count) {
    const Matrix* from[Lanes];
    for (int lane = 0; lane < Lanes; ++lane) from[lane] = link(first + std::min(lane, count - 1));
    const auto found = deviation<Lanes>(load_links<Lanes>(from));
    if (!parallel::any(found > left_group)) return;
    for (int lane = 0; lane < count; ++lane)
      if (parallel::lane_of<double, Lanes>(found, lane) > left_group) f(first + lane);
  });
}

}  // namespace

parallel::KernelCard link_update_card() {
  return {.name = "link_update",
          .flops = exponential_flops + 18.0 + 198.0,
          .bytes = 3.0 * 144.0,
          .vectorised = true};
}

// Own links are read twice: they are counted, and mended like those of the halo.
parallel::KernelCard reunitarise_card() {
  return {.name = "reunitarise",
          .flops = 2.0 * (198.0 + 48.0 + 40.0),
          .bytes = 2.0 * 144.0,
          .vectorised = true};
}

void update_links(UpdateFields& fields, double step, workload::Listener& listener) {
  listener.kernel(link_update_card(), static_cast<double>(fields.own_links()), [&] {
    Matrix* all = fields.links.matrices();
    parallel::with_lanes<double>(fields.lanes, [&]<int Lanes>() {
      for_link_lanes<Lanes>(fields.own_links(), fields.threads, [&](std::int64_t first, int count) {
        const Matrix* momenta[Lanes];
        const Matrix* from[Lanes];
        Matrix* to[Lanes];
        for (int lane = 0; lane < Lanes; ++lane) {
          const std::int64_t link = first + std::min(lane, count - 1);
          momenta[lane] = fields.momenta.data() + link;
          from[lane] = to[lane] =
              all + axes * std::int64_t{fields.sites.own()[static_cast<std::size_t>(link / axes)]} +
              link % axes;
        }
        auto exponent = load_links<Lanes>(momenta);
        scale(exponent, step);
        store_links<Lanes>(product(exponential<Lanes>(exponent), load_links<Lanes>(from)), to);
      });
    });
  });
}

std::int64_t reunitarise(UpdateFields& fields, workload::Listener& listener) {
  std::atomic<std::int64_t> left = 0;
  listener.kernel(reunitarise_card(), static_cast<double>(fields.own_links()), [&] {
    Matrix* all = fields.links.matrices();
    const auto own = [&](std::int64_t link) {
      return all + axes * std::int64_t{fields.sites.own()[static_cast<std::size_t>(link / axes)]} +
             link % axes;
    };
    parallel::with_lanes<double>(fields.lanes, [&]<int Lanes>() {
      for_left_links<Lanes>(fields.own_links(), fields.threads, own, [&](std::int64_t) { ++left; });
      for_left_links<Lanes>(
          axes * fields.links.box().sites(), fields.threads,
          [&](std::int64_t link) { return all + link; },
          [&](std::int64_t link) { make_special_unitary(all[link]); });
    });
  });
  return left;
}

}  // namespace phasewise::qcd
