// Builds a lattice from parameters.
#pragma once

#include "beam/lattice.hpp"
#include "workload/parameters.hpp"

namespace phasewise::beam {

// Builds the elements lattice.1, lattice.2, … for a beam (docs/flat-parameters.md). Throws
// std::invalid_argument with one sentence if they cannot be used.
Lattice build_lattice(const workload::Parameters& parameters, int beam = 1);
// Reads lattice.maps: exact | linear | second-order.
Maps read_maps(const workload::Parameters& parameters);

}  // namespace phasewise::beam
