// The sizes of a bunch along a lattice as they follow from its optics.
#pragma once

#include <vector>

#include "beam/lattice.hpp"
#include "spacecharge/description.hpp"

namespace phasewise::spacecharge {

// The centre and rms sizes at each kick of the bunch that `description.profile` describes and whose
// centre starts at `orbit`, without space charge. If `bunched`, its length follows from the
// cavities too; else it stays as it is.
std::vector<FrozenPlace> optics_sizes(const Description& description, const beam::Place& orbit,
                                      bool bunched);

}  // namespace phasewise::spacecharge
