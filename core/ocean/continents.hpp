// Continents and depths that follow from a seed: one sea without isolated cells, and the same on
// all machines, since it is made by plain arithmetic.
#pragma once

#include <cstdint>
#include <vector>

#include "ocean/grid.hpp"

namespace phasewise::ocean {

// Depths [m] of all cells, eastwards in each row from the south; 0: land. Cells that move have a
// corner in the sea, and all of them are connected by such corners. Land is where a sum of noise on
// several scales lies above a height, and depths grow with the distance from that height. The share
// of sea is within a few cells of `sea`. A large grid has the coasts of one with a fourth of the
// cells, or a sixteenth.
std::vector<double> continents(const Grid& grid, std::uint64_t seed, double sea);

}  // namespace phasewise::ocean
