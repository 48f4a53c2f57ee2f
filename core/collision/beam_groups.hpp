// Which ranks hold which beam: as the layout says; one rank alone holds both, and so does every
// rank where only one beam is tracked.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/share.hpp"

namespace phasewise::collision {

class BeamGroups {
 public:
  // tracked: which beams have particles; beam_of: the beam (0, 1) of each rank. Collective.
  BeamGroups(const comm::Communicator& world, std::array<bool, 2> tracked,
             const std::vector<int>& beam_of)
      : world_(world), tracked_(tracked) {
    divided_ = tracked[0] && tracked[1] && world.size() > 1;
    own_ = divided_ ? beam_of[world.rank()] : 0;
    group_ = std::make_unique<comm::Communicator>(world.split(own_));
  }

  const comm::Communicator& world() const { return world_; }
  // The ranks that hold the same beam as this one.
  const comm::Communicator& group() const { return *group_; }
  bool holds(int beam) const { return tracked_[beam] && (!divided_ || beam == own_); }
  // Number of beams that this rank holds.
  int held() const { return (holds(0) ? 1 : 0) + (holds(1) ? 1 : 0); }
  bool divided() const { return divided_; }
  // Ids [begin, end) of this beam's macroparticles that live on this rank.
  std::pair<std::int64_t, std::int64_t> my_ids(int beam, std::int64_t n) const {
    if (!holds(beam)) return {0, 0};
    return comm::share(n, group_->size(), group_->rank());
  }

 private:
  const comm::Communicator& world_;
  std::unique_ptr<comm::Communicator> group_;
  std::array<bool, 2> tracked_;
  bool divided_ = false;
  int own_ = 0;
};

}  // namespace phasewise::collision
