// One axis of a doubled grid: its m places, and the displacement between source and target of each.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace phasewise::field {

// The first places have the displacements 0 … n-1, the last ones -(n-1) … -1, and padding lies in
// between. `shift`, the target window minus the source window in cells, is added to all. The Green
// function is even, so that only distances matter.
struct DoubledAxis {
  int n, m, shift;
  bool padding(int place) const { return place >= n && place <= m - n; }
  int distance(int place) const { return std::abs(shift + (place < n ? place : place - m)); }
  int nearest() const { return std::max(0, std::abs(shift) - (n - 1)); }
  int farthest() const { return std::abs(shift) + n - 1; }
};

}  // namespace phasewise::field
