// The meshes of the first passage, as far as the design bunch tells: what a plan, and a run without
// particles, know of the Green functions that they need.
#pragma once

#include <vector>

#include "field/box_mesh.hpp"
#include "spacecharge/description.hpp"
#include "spacecharge/mesh_choice.hpp"

namespace phasewise::spacecharge {

// The mesh of a kick for a bunch of this extent [m]; a period takes the place of the extent along
// z.
field::BoxMesh mesh_for(const Description& description, Extent extent);

// The sides of its cells in the bunch's rest frame [m].
std::array<double, 3> cells_of(const Description& description, const field::BoxMesh& mesh);

// For each kick, whether it needs a Green function that no kick before it has made. The meshes
// follow a sample of the bunch through the lattice, under a force that follows from its rms sizes;
// a guest's bunch is unknown, and is taken to keep its size.
std::vector<bool> first_meshes(const Description& description);

}  // namespace phasewise::spacecharge
