// Builds the shape of a bunch from parameters.
#pragma once

#include "beam/lattice.hpp"
#include "spacecharge/description.hpp"
#include "workload/parameters.hpp"

namespace phasewise::spacecharge {

// Sets the profile of a description in which everything else is set. bunch.optics is either given
// (with size, alpha, dispersion), or matched to the lattice: to the lattice's own optics in four or
// six dimensions, or with the bunch's own force. Throws std::invalid_argument with one sentence if
// that is impossible.
void read_profile(const workload::Parameters& parameters, const beam::Lattice& lattice,
                  Description& description);

}  // namespace phasewise::spacecharge
