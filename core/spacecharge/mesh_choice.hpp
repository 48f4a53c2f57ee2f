// Chooses the mesh of a kick.
#pragma once

#include <array>

#include "field/box_mesh.hpp"
#include "spacecharge/description.hpp"

namespace phasewise::spacecharge {

// The smallest box that holds all particles: the first and last place along x, y, z [m].
struct Extent {
  std::array<double, 3> low, high;
};

// A mesh about the middle of the box, whose cells are the smallest powers of 2^(1/8) m with which
// it holds all particles. A bunch that breathes then soon meets cells whose Green function is
// known, and no mesh depends on an earlier one. Throws std::runtime_error unless the box is finite
// and has three sides.
field::BoxMesh following_mesh(const Extent& extent, const std::array<int, 3>& nodes, double spare);

// The nodes along a side that no particle may reach, so that a field's differences and the
// particle's charge are on the mesh, with some room for rounding: half of them, and half a cell, at
// each end.
double spare_nodes(Weighting weighting);

// The mesh from -half_width to half_width [m].
field::BoxMesh fixed_mesh(const std::array<double, 3>& half_width, const std::array<int, 3>& nodes);

}  // namespace phasewise::spacecharge
