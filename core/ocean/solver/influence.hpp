// What a march needs to be prepared: the influence, and how exact it is.
#pragma once

#include "ocean/solver/march.hpp"

namespace phasewise::ocean {

// The largest error of a solution by marches, relative to the right-hand side.
inline constexpr double largest_march_error = 3e-10;

// The influence, [guess][defect]; of tiles without one it is not a number.
void fill_influence(const TileCoefficients& coefficients, Lanes* influence);

// The error of the tile in each lane.
Lanes march_error(const TileCoefficients& a, const Lanes* influence, bool twice);

// Whether marches through tiles of this size are exact enough in the open sea.
bool marches_hold(const TileShape& shape);
// The largest tiles that are, not larger than these along either axis.
TileShape largest_that_holds(const TileShape& asked);

}  // namespace phasewise::ocean
