// What a march needs to be prepared: the influence, and how exact it is.
#pragma once

#include <array>
#include <string>

#include "ocean/solver/march.hpp"

namespace phasewise::ocean {

// The largest error of a solution by marches, relative to the right-hand side.
inline constexpr double largest_march_error = 3e-10;

// The influence, [guess][defect]; of tiles without one it is not a number.
void fill_influence(const TileCoefficients& coefficients, Lanes* influence);

// The error of the tile in each lane.
Lanes march_error(const TileCoefficients& a, const Lanes* influence, bool corrected);

// Throws std::invalid_argument with one sentence if marches through tiles of this size are not
// exact enough in the open sea; it names what was asked for, and the largest tiles that are.
void check_marches(const std::string& key, const std::array<int, 2>& asked, const TileShape& shape);

}  // namespace phasewise::ocean
