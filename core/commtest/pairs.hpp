// Which ranks exchange with each other: i-(i+j) for a range of i, as Worley writes it.
#pragma once

#include <vector>

namespace phasewise::commtest {

// i-(i + distance), i = first … last. last < 0: for as many i as the ranks hold when no rank is in
// two pairs, blocks of `distance` leaders and their partners one after the other.
struct PairRange {
  int first = 0, last = 0, distance = 1;
};

// What a rank does: the one that leads sends first.
struct Role {
  int peer = -1;  // nobody: the rank takes no part
  bool leads = false;

  bool idle() const { return peer < 0; }
};

// The role of each rank. Throws std::invalid_argument with one sentence if a pair needs more ranks,
// or a rank is in two pairs, or in one with itself: it would wait for ever.
std::vector<Role> roles_of(const std::vector<PairRange>& pairs, int ranks);

}  // namespace phasewise::commtest
