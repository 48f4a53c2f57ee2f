// Which ranks hold which beam. If both beams are tracked on several ranks, the layout gives each
// rank one beam; otherwise every rank holds a share of each tracked beam.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "collision/exchange/process_grid.hpp"
#include "exchange/share.hpp"

namespace phasewise::collision {

class BeamGroups {
 public:
  // `tracked` says which beams have particles.
  BeamGroups(const ProcessGrid& grid, std::array<bool, 2> tracked, int rank) : tracked_(tracked) {
    divided_ = divided(grid, tracked);
    own_ = divided_ ? grid.place(rank).beam : 0;
    for (int r = 0; r < grid.ranks(); ++r) {
      if (divided_ && grid.place(r).beam != own_) continue;
      if (r < rank) ++member_;
      ++members_;
    }
  }

  // Whether a rank holds some of a beam.
  static bool holds(const ProcessGrid& grid, std::array<bool, 2> tracked, int rank, int beam) {
    return tracked[beam] && (!divided(grid, tracked) || grid.place(rank).beam == beam);
  }
  bool holds(int beam) const { return tracked_[beam] && (!divided_ || beam == own_); }
  // Number of beams that this rank holds.
  int held() const { return (holds(0) ? 1 : 0) + (holds(1) ? 1 : 0); }
  bool divided() const { return divided_; }
  // The beam of this rank's group, the ranks that hold the same beam.
  int own() const { return own_; }
  // Ids [begin, end) of this beam's macroparticles that live on this rank.
  std::pair<std::int64_t, std::int64_t> my_ids(int beam, std::int64_t n) const {
    if (!holds(beam)) return {0, 0};
    return exchange::share(n, members_, member_);
  }
  // Mean number of this beam's macroparticles per rank of the group.
  double mean_share(int beam, std::int64_t n) const {
    return holds(beam) ? static_cast<double>(n) / members_ : 0.0;
  }

 private:
  static bool divided(const ProcessGrid& grid, std::array<bool, 2> tracked) {
    return tracked[0] && tracked[1] && grid.divided();
  }

  std::array<bool, 2> tracked_;
  bool divided_ = false;
  int own_ = 0;
  int members_ = 0, member_ = 0;  // ranks of the group, and this one's number among them
};

}  // namespace phasewise::collision
