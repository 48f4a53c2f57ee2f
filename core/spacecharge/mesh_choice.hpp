// Which mesh a kick uses.
#pragma once

#include <array>

#include "field/box_mesh.hpp"

namespace phasewise::spacecharge {

// The smallest box that holds all particles: first and last place along x, y, z [m].
struct Extent {
  std::array<double, 3> low, high;
};

// A mesh about the middle of the box, whose cells are the smallest powers of 2^(1/8) m that let it
// hold all particles: a bunch that breathes then soon meets cells for which the Green function is
// known, and no mesh depends on an earlier one. Throws std::runtime_error if the box is no finite
// box with three sides.
field::BoxMesh following_mesh(const Extent& extent, const std::array<int, 3>& nodes);

// From -half_width to half_width [m].
field::BoxMesh fixed_mesh(const std::array<double, 3>& half_width, const std::array<int, 3>& nodes);

}  // namespace phasewise::spacecharge
