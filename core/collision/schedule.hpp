// Which slices meet when: heads first, in step k = 0 … 2S - 2 all pairs (i, j) with i + j = k,
// slices counted from 0.
#pragma once

#include <algorithm>

namespace phasewise::collision {

struct Step {
  int slices;
  int k;

  int first() const { return std::max(0, k - slices + 1); }
  int pairs() const { return std::min(k, slices - 1) - first() + 1; }
  // Pair p: this beam's slice and the other's. Beam 1 counts upward, beam 2 sees the same pairs
  // from its side.
  int own(int beam, int p) const { return beam == 0 ? first() + p : k - first() - p; }
  int other(int beam, int p) const { return own(1 - beam, p); }
  // Where the pair of this beam's slice is among this step's pairs.
  int pair_of(int beam, int slice) const {
    return beam == 0 ? slice - first() : k - first() - slice;
  }
  bool contains(int slice) const { return slice >= first() && slice <= std::min(k, slices - 1); }
};

inline int steps(int slices) { return 2 * slices - 1; }

}  // namespace phasewise::collision
