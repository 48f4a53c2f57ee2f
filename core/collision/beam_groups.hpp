// Which ranks hold which beam: the first ones beam 1, the others beam 2; one rank alone holds both,
// and so does every rank where only one beam is tracked.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "collision/schedule.hpp"
#include "comm/communicator.hpp"

namespace phasewise::collision {

class BeamGroups {
 public:
  // tracked: which beams have particles
  BeamGroups(const comm::Communicator& world, std::array<bool, 2> tracked)
      : world_(world), tracked_(tracked) {
    const int ranks = world.size();
    const bool both = tracked[0] && tracked[1];
    divided_ = both && ranks > 1;
    if (divided_) {
      count_ = {(ranks + 1) / 2, ranks / 2};
      first_ = {0, count_[0]};
    } else {
      count_ = {ranks, ranks};
    }
    const int color = divided_ && world.rank() >= first_[1] ? 1 : 0;
    group_ = std::make_unique<comm::Communicator>(world.split(color));
  }

  const comm::Communicator& world() const { return world_; }
  // The ranks that hold the same beam as this one.
  const comm::Communicator& group() const { return *group_; }
  bool holds(int beam) const {
    if (!tracked_[beam]) return false;
    return !divided_ || (world_.rank() >= first_[1]) == (beam == 1);
  }
  bool divided() const { return divided_; }
  // The share [begin, end) of n items of this beam that this rank owns; empty where it does not
  // hold the beam.
  std::pair<int, int> my_share(int beam, int n) const {
    return holds(beam) ? share(n, count_[beam], group_->rank()) : std::pair{0, 0};
  }
  // The world rank that owns item p of n of this beam.
  int owner(int beam, int n, int p) const {
    for (int r = 0; r < count_[beam]; ++r)
      if (p < share(n, count_[beam], r).second) return first_[beam] + r;
    return first_[beam];
  }
  // Ids [begin, end) of this beam's macroparticles that live on this rank.
  std::pair<std::int64_t, std::int64_t> my_ids(int beam, std::int64_t n) const {
    if (!holds(beam)) return {0, 0};
    const std::int64_t parts = count_[beam], r = group_->rank();
    const std::int64_t base = n / parts, extra = n % parts;
    const std::int64_t begin = r * base + (r < extra ? r : extra);
    return {begin, begin + base + (r < extra ? 1 : 0)};
  }

 private:
  const comm::Communicator& world_;
  std::unique_ptr<comm::Communicator> group_;
  std::array<bool, 2> tracked_;
  bool divided_ = false;
  std::array<int, 2> count_{1, 1}, first_{0, 0};
};

}  // namespace phasewise::collision
