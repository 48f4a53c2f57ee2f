// A symmetric operator of nine points on planes: A couples a cell with its eight neighbours.
#pragma once

namespace phasewise::ocean {

// Pointers to planes, whose own cells are read, and the ghosts to the west and south are not.
// Couplings with land, and across walls, are 0, and so is the centre of land.
struct Coefficients {
  const double* centre;
  const double* east;        // of (i, j) with (i + 1, j)
  const double* north;       // of (i, j) with (i, j + 1)
  const double* north_east;  // of (i, j) with (i + 1, j + 1)
  // Of (i + 1, j) with (i, j + 1), which is the other diagonal of the corner in the north-east of
  // (i, j). On a B-grid both diagonals of a corner are coupled alike: null, or the same plane.
  const double* north_west = nullptr;
};

}  // namespace phasewise::ocean
