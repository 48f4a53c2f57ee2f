// A rank's box cut into as many equal sub-boxes as a vector has lanes. Lane l of a vector holds the
// same site of sub-box l, so that a neighbour is a whole vector, except at the edge of a sub-box,
// where lanes trade places. Vectors of a parity are numbered by (x/2, y, z, t) of the sub-box: each
// lane has the x of its own parity, so that sub-boxes may begin on odd sites.
#pragma once

#include <array>
#include <cstdint>

#include "qcd/geometry.hpp"

namespace phasewise::qcd {

struct SubBoxes {
  Extents box{};    // the rank's
  Extents cuts{};   // along each axis
  Extents inner{};  // extents of a sub-box; along x it is even
  int lanes = 0;

  // Whether the box can be cut into this many, a power of two.
  static bool possible(const Extents& box, int lanes) { return cut(box, lanes).lanes == lanes; }
  // Cuts along the longest extents first, and among equal ones along t before x, because vectors
  // are neighbours in memory along x.
  static SubBoxes cut(const Extents& box, int lanes) {
    SubBoxes boxes{box, {1, 1, 1, 1}, box, 1};
    while (boxes.lanes < lanes) {
      int best = -1;
      for (int axis = axes - 1; axis >= 0; --axis) {
        const int extent = boxes.inner[axis];
        const bool allowed = extent % (axis == 0 ? 4 : 2) == 0;
        // x is cut last.
        if (!allowed || (axis == 0 && best >= 0)) continue;
        if (best < 0 || extent > boxes.inner[best]) best = axis;
      }
      if (best < 0) break;
      boxes.cuts[best] *= 2;
      boxes.inner[best] /= 2;
      boxes.lanes *= 2;
    }
    return boxes;
  }

  // The sub-box of a lane, along each axis.
  Extents place(int lane) const {
    Extents at;
    for (int axis = 0; axis < axes; ++axis) {
      at[axis] = lane % cuts[axis];
      lane /= cuts[axis];
    }
    return at;
  }
  int lane_at(const Extents& at) const { return static_cast<int>(site_of(cuts, at)); }
  // The parity of a lane's first site.
  int parity(int lane) const {
    const Extents at = place(lane);
    int sum = 0;
    for (int axis = 0; axis < axes; ++axis) sum += at[axis] * inner[axis];
    return sum & 1;
  }
  // The adjacent lane, around the box.
  int neighbour(int lane, int axis, int step) const {
    Extents at = place(lane);
    at[axis] = (at[axis] + step + cuts[axis]) % cuts[axis];
    return lane_at(at);
  }
  // The number of vectors of a parity.
  std::int64_t vectors() const { return volume_of(inner) / 2; }
  std::int64_t vector_at(const Extents& in) const { return half_site_of(inner, in); }

  // The vector and the lane that hold a site of the box.
  struct Slot {
    std::int64_t vector;
    int lane;
  };
  Slot slot(const Extents& at) const {
    Extents sub, in;
    for (int axis = 0; axis < axes; ++axis) {
      sub[axis] = at[axis] / inner[axis];
      in[axis] = at[axis] % inner[axis];
    }
    return {vector_at(in), lane_at(sub)};
  }
};

// The number of a site's place in a face across an axis, among those of its parity.
inline std::int64_t face_site_of(const Extents& box, int axis, Extents at) {
  Extents face = box;
  face[axis] = 1;
  at[axis] = 0;
  if (axis != 0) return half_site_of(face, at);
  return site_of({1, face[1] / 2, face[2], face[3]}, {0, at[1] / 2, at[2], at[3]});
}

}  // namespace phasewise::qcd
