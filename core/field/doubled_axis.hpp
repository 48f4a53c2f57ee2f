// One axis of a doubled grid: the places of a row of m, and the displacements between source and
// target that belong there.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace phasewise::field {

// n displacements 0 … n-1 in the first places, -(n-1) … -1 in the last, padding between; all moved
// by a shift, the target window minus the source window in cells. The Green function is even: only
// distances count.
struct DoubledAxis {
  int n, m, shift;
  bool padding(int place) const { return place >= n && place <= m - n; }
  int distance(int place) const { return std::abs(shift + (place < n ? place : place - m)); }
  int nearest() const { return std::max(0, std::abs(shift) - (n - 1)); }
  int farthest() const { return std::abs(shift) + n - 1; }
};

}  // namespace phasewise::field
