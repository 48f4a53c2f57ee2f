// Which mesh a kick uses.
#pragma once

#include <array>

#include "field/box_mesh.hpp"
#include "spacecharge/description.hpp"

namespace phasewise::spacecharge {

// The smallest box that holds all particles: first and last place along x, y, z [m].
struct Extent {
  std::array<double, 3> low, high;
};

// A mesh about the middle of the box, whose cells are the smallest powers of 2^(1/8) m that let it
// hold all particles: a bunch that breathes then soon meets cells for which the Green function is
// known, and no mesh depends on an earlier one. Throws std::runtime_error if the box is no finite
// box with three sides.
field::BoxMesh following_mesh(const Extent& extent, const std::array<int, 3>& nodes, double spare);

// Nodes along a side that no particle may reach, for a field's differences and its charge to be on
// the mesh, with some rounding: half of them, and half a cell, at each end.
double spare_nodes(Weighting weighting);

// From -half_width to half_width [m].
field::BoxMesh fixed_mesh(const std::array<double, 3>& half_width, const std::array<int, 3>& nodes);

}  // namespace phasewise::spacecharge
