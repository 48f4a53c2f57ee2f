// Builds the shape of a bunch from parameters.
#pragma once

#include "beam/lattice.hpp"
#include "spacecharge/description.hpp"
#include "workload/parameters.hpp"

namespace phasewise::spacecharge {

// Sets the profile of a description of which all else is set. bunch.optics: given (with size,
// alpha, dispersion), or matched to the lattice, which is its own in four or six dimensions, or
// with the bunch's own force. Throws std::invalid_argument with one sentence if it cannot be.
void read_profile(const workload::Parameters& parameters, const beam::Lattice& lattice,
                  Description& description);

}  // namespace phasewise::spacecharge
