// Differences and flows between the cells and the corners of the B-grid (Arakawa, Lamb, Methods
// Comput. Phys. 17 (1977) 173).
#pragma once

#include <cstdint>

#include "ocean/grid.hpp"
#include "ocean/values.hpp"

namespace phasewise::ocean {

// Differences of a field of cells around a corner, times two.
template <class V>
struct CornerDifferences {
  PHASEWISE_HD CornerDifferences(const double* at, std::int64_t pitch) {
    const V here = loaded<V>(at), east = loaded<V>(at + 1);
    const V north = loaded<V>(at + pitch), north_east = loaded<V>(at + pitch + 1);
    x = (east - here) + (north_east - north);
    y = (north - here) + (north_east - east);
  }
  V x, y;
};

// What goes through the faces of a cell, eastwards and northwards.
template <class V>
struct Faces {
  V east, west, north, south;

  PHASEWISE_HD V outflow() const { return (east - west) + (north - south); }
};

// Lengths of the faces in the east, the north and the south, over two.
struct HalfFaces {
  HalfFaces(const Grid::Row& here, const Grid::Row& below)
      : east(0.5 * here.dy), north(0.5 * here.dx_corner), south(0.5 * below.dx_corner) {}
  double east, north, south;
};

// Flows through faces of this height, where along_x(offset) and along_y(offset) flow at the corners
// that many values after that in the north-east of the cell.
template <class V, class X, class Y>
PHASEWISE_HD Faces<V> flow_through(const HalfFaces& half, double height, std::int64_t pitch,
                                   X&& along_x, Y&& along_y) {
  const double across = half.east * height;
  return {.east = across * (along_x(0) + along_x(-pitch)),
          .west = across * (along_x(-1) + along_x(-pitch - 1)),
          .north = half.north * height * (along_y(0) + along_y(-1)),
          .south = half.south * height * (along_y(-pitch) + along_y(-pitch - 1))};
}

}  // namespace phasewise::ocean
