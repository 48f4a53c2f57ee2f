// The sites of a rank in vectors: its box is cut into as many sub-boxes as a vector has lanes, and
// lane l of a vector holds the same site of sub-box l. Each sub-box has a halo of its own, so that
// the neighbour of a vector is always a whole vector.
#pragma once

#include <cstdint>
#include <vector>

#include "qcd/gauge/link_sites.hpp"

namespace phasewise::qcd {

class LaneSites {
 public:
  LaneSites() = default;
  // Of an array over `box`, whose halo has at least as many planes as that of the sub-boxes. A box
  // that cannot be cut into so many sub-boxes has one lane.
  LaneSites(const HaloBox& box, int halo, int lanes);

  int lanes() const { return lanes_; }
  // All vectors, with those of the halo.
  std::int64_t all() const { return all_; }
  // Vectors of own sites, by their numbers among all; ahead and behind of each vector.
  const LinkSites& vectors() const { return vectors_; }
  std::int64_t own() const { return static_cast<std::int64_t>(vectors_.own().size()); }
  std::int32_t own_vector(std::int64_t number) const {
    return vectors_.own()[static_cast<std::size_t>(number)];
  }
  // The site of a lane of a vector, as a number in the array.
  std::int32_t site(std::int64_t vector, int lane) const {
    return sites_[static_cast<std::size_t>(lanes_ * vector + lane)];
  }
  // The number of the site of an own vector among the rank's own sites, x fastest.
  std::int32_t own_site(std::int64_t number, int lane) const {
    return own_sites_[static_cast<std::size_t>(lanes_ * number + lane)];
  }

 private:
  int lanes_ = 1;
  std::int64_t all_ = 0;
  LinkSites vectors_;
  std::vector<std::int32_t> sites_, own_sites_;
};

}  // namespace phasewise::qcd
