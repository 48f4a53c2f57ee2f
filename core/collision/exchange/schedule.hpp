// Which slices meet when: heads first. In step k = 0 … S1 + S2 - 2 all pairs (i, j) with i + j = k
// meet, with slices counted from 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace phasewise::collision {

// Numbers of slices of beams 1 and 2.
using Slices = std::array<int, 2>;

struct Step {
  Slices slices;
  int k;

  int first() const { return std::max(0, k - slices[1] + 1); }  // slice of beam 1
  int pairs() const { return std::min(k, slices[0] - 1) - first() + 1; }
  // The slices of pair p: this beam's, and the other beam's. Slices of beam 1 ascend with p, those
  // of beam 2 descend.
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
  // The place of pair p in an array [slice of beam 1][slice of beam 2].
  std::size_t place(int p) const {
    return static_cast<std::size_t>(own(0, p)) * slices[1] + own(1, p);
  }
};

inline int steps(const Slices& slices) { return slices[0] + slices[1] - 1; }
// The number of pairs of the fullest step, and of all steps.
inline int most_pairs(const Slices& slices) { return std::min(slices[0], slices[1]); }
inline std::size_t pairs_in_all(const Slices& slices) {
  return static_cast<std::size_t>(slices[0]) * slices[1];
}
// The number of slices of the beam that has more.
inline int most_slices(const Slices& slices) { return std::max(slices[0], slices[1]); }

}  // namespace phasewise::collision
