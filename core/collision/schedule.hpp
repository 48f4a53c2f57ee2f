// Which slices meet when: heads first, in step k = 0 … 2S - 2 all pairs (i, j) with i + j = k,
// slices counted from 0.
#pragma once

#include <algorithm>
#include <cstddef>

namespace phasewise::collision {

struct Step {
  int slices;
  int k;

  int first() const { return std::max(0, k - slices + 1); }
  int pairs() const { return std::min(k, slices - 1) - first() + 1; }
  // Pair p: this beam's slice and the other's. Slices of beam 1 ascend with p, those of beam 2
  // descend.
  int own(int beam, int p) const { return beam == 0 ? first() + p : k - first() - p; }
  int other(int beam, int p) const { return own(1 - beam, p); }
  // The number of the pair that contains this beam's slice.
  int pair_of(int beam, int slice) const {
    return beam == 0 ? slice - first() : k - first() - slice;
  }
  bool contains(int beam, int slice) const {
    const int p = pair_of(beam, slice);
    return p >= 0 && p < pairs();
  }
  // Of pair p in [slice of beam 1][slice of beam 2].
  std::size_t place(int p) const {
    return static_cast<std::size_t>(own(0, p)) * slices + own(1, p);
  }
};

inline int steps(int slices) { return 2 * slices - 1; }
// Pairs of the fullest step, and of all steps.
inline int most_pairs(int slices) { return slices; }
inline std::size_t pairs_in_all(int slices) { return static_cast<std::size_t>(slices) * slices; }
// Slices of the beam with more of them.
inline int most_slices(int slices) { return slices; }

}  // namespace phasewise::collision
