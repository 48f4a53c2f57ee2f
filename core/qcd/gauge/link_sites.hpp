// The sites of a rank with their neighbours, as numbers in the array of its links, for loops that
// take several sites at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "parallel/loops.hpp"
#include "qcd/gauge/colour_matrix.hpp"
#include "qcd/gauge/links.hpp"

namespace phasewise::qcd {

class LinkSites {
 public:
  LinkSites() = default;
  // The links may have any halo. Throws std::invalid_argument if there are more than 2³¹ sites.
  explicit LinkSites(const Links& links);

  // The rank's own sites, x fastest.
  const std::vector<std::int32_t>& own() const { return own_; }
  // The neighbour of a site forwards or backwards; -1 beyond the halo.
  std::int32_t ahead(std::int32_t site, int axis) const { return ahead_[place(site, axis)]; }
  std::int32_t behind(std::int32_t site, int axis) const { return behind_[place(site, axis)]; }

 private:
  static std::size_t place(std::int64_t site, int axis) {
    return static_cast<std::size_t>(axes * site + axis);
  }
  std::vector<std::int32_t> own_, ahead_, behind_;
};

// A site of each lane.
template <int Lanes>
class SiteLanes {
 public:
  using V = parallel::Vector<double, Lanes>;
  SiteLanes(const LinkSites& sites, const Matrix* links, const std::array<std::int32_t, Lanes>& at)
      : sites_(sites), links_(links), at_(at) {}

  SiteLanes ahead(int axis) const {
    SiteLanes moved = *this;
    for (std::int32_t& site : moved.at_) site = sites_.ahead(site, axis);
    return moved;
  }
  SiteLanes behind(int axis) const {
    SiteLanes moved = *this;
    for (std::int32_t& site : moved.at_) site = sites_.behind(site, axis);
    return moved;
  }
  ColourMatrix<V> link(int mu) const {
    const Matrix* from[Lanes];
    for (int lane = 0; lane < Lanes; ++lane)
      from[lane] = links_ + static_cast<std::int64_t>(axes) * at_[lane] + mu;
    return load_links<Lanes>(from);
  }
  std::int32_t site(int lane) const { return at_[lane]; }

 private:
  const LinkSites& sites_;
  const Matrix* links_;
  std::array<std::int32_t, Lanes> at_;
};

// Calls f(lanes, first, count) for the rank's own sites, some at once: those from `first` on, of
// which `count` are new.
template <int Lanes, class F>
void for_site_lanes(const LinkSites& sites, const Links& links, int threads, F&& f) {
  const auto all = static_cast<std::int64_t>(sites.own().size());
  parallel::for_blocks(all, threads, [&](std::int64_t begin, int n, int) {
    for (std::int64_t first = begin; first < begin + n; first += Lanes) {
      const int count = static_cast<int>(std::min<std::int64_t>(Lanes, begin + n - first));
      std::array<std::int32_t, Lanes> at;
      for (int lane = 0; lane < Lanes; ++lane)
        at[lane] = sites.own()[static_cast<std::size_t>(first + std::min(lane, count - 1))];
      f(SiteLanes<Lanes>(sites, links.matrices(), at), first, count);
    }
  });
}

// The sum over the six ways around from a site to its neighbour along mu.
template <int Lanes>
ColourMatrix<parallel::Vector<double, Lanes>> staples(const SiteLanes<Lanes>& x, int mu) {
  using enum Side;
  ColourMatrix<parallel::Vector<double, Lanes>> sum{};
  const SiteLanes<Lanes> ahead = x.ahead(mu);
  for (int nu = 0; nu < axes; ++nu) {
    if (nu == mu) continue;
    add(sum, product<plain, adjoint>(product(x.link(nu), x.ahead(nu).link(mu)), ahead.link(nu)));
    const SiteLanes<Lanes> below = x.behind(nu);
    add(sum,
        product(product<adjoint, plain>(below.link(nu), below.link(mu)), below.ahead(mu).link(nu)));
  }
  return sum;
}

inline constexpr double staples_flops = 12.0 * 198.0 + 6.0 * 18.0;

}  // namespace phasewise::qcd
