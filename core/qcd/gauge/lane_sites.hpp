// The sites of a rank in vectors: its box is cut into as many sub-boxes as a vector has lanes, and
// lane l of a vector holds the same site of sub-box l. Along axes that are split over ranks each
// sub-box has a halo of its own, so that the neighbour of a vector is a whole vector. Along the
// others a step over the edge of the sub-boxes leads to the vector at their opposite edge, and
// lanes trade places.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "qcd/gauge/link_sites.hpp"
#include "qcd/sub_boxes.hpp"

namespace phasewise::qcd {

class LaneSites {
 public:
  static constexpr int most_lanes = 8;

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
  // Lanes trade places by a turn, 0 of which is none: lane l of a place has its site in lane
  // turned()[l] of the vector. The turn of a place after a step.
  int turn_ahead(int turn, std::int32_t vector, int axis) const {
    return crosses_[static_cast<std::size_t>(vector)] >> axis & 1 ? next_turn_[0][axis][turn]
                                                                  : turn;
  }
  int turn_behind(int turn, std::int32_t vector, int axis) const {
    return crosses_[static_cast<std::size_t>(vector)] >> (axes + axis) & 1
               ? next_turn_[1][axis][turn]
               : turn;
  }
  const std::int64_t* turned(int turn) const { return turned_[turn].data(); }
  // The site of a lane of a vector, as a number in the array.
  std::int32_t site(std::int64_t vector, int lane) const {
    return sites_[static_cast<std::size_t>(lanes_ * vector + lane)];
  }
  // The number of the site of an own vector among the rank's own sites, x fastest.
  std::int32_t own_site(std::int64_t number, int lane) const {
    return own_sites_[static_cast<std::size_t>(lanes_ * number + lane)];
  }

 private:
  void list_turns(const SubBoxes& boxes);

  int lanes_ = 1;
  std::int64_t all_ = 0;
  LinkSites vectors_;
  // Whether a step leads over an unsplit edge: a bit for each axis ahead, and then behind.
  std::vector<std::uint8_t> crosses_;
  std::array<std::array<std::array<int, most_lanes>, axes>, 2> next_turn_{};
  alignas(64) std::array<std::array<std::int64_t, most_lanes>, most_lanes> turned_{};
  std::vector<std::int32_t> sites_, own_sites_;
};

}  // namespace phasewise::qcd
