// Which ranks exchange with each other: i-(i+j) for a range of i, as Worley writes it.
#pragma once

#include <vector>

namespace phasewise::commtest {

// The pairs i-(i + distance) for i = first … last. last < 0: as many pairs as the ranks hold
// without a rank in two of them, in blocks of `distance` leaders followed by their partners.
struct PairRange {
  int first = 0, last = 0, distance = 1;
};

// What a rank does: the one that leads sends first.
struct Role {
  int peer = -1;  // -1: the rank takes no part
  bool leads = false;

  bool idle() const { return peer < 0; }
};

// The role of each rank. Throws std::invalid_argument with one sentence if a pair needs more ranks,
// or if a rank is in two pairs or in a pair with itself, where it would wait for ever.
std::vector<Role> roles_of(const std::vector<PairRange>& pairs, int ranks);

}  // namespace phasewise::commtest
