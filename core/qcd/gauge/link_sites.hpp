// The sites of a rank with their neighbours, as numbers in the array of its links.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "qcd/gauge/colour_matrix.hpp"
#include "qcd/gauge/links.hpp"

namespace phasewise::qcd {

class LinkSites {
 public:
  LinkSites() = default;
  // The box may have any halo. Throws std::invalid_argument if it has more than 2³¹ sites.
  explicit LinkSites(const HaloBox& box);
  explicit LinkSites(const Links& links) : LinkSites(links.box()) {}

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

}  // namespace phasewise::qcd
