// The orbit that closes after each passage of a lattice, in which kicks may move the reference
// particle.
#pragma once

#include <vector>

#include "beam/lattice.hpp"

namespace phasewise::beam {

struct ClosedOrbit {
  Place start{};         // where the lattice begins and ends
  SecondOrder map{};     // the expansion of a passage about the orbit
  bool bunched = false;  // a cavity turns z into δ: the orbit closes in all six dimensions
};

// Finds the orbit by Newton's method on the expansion of a passage. Without a cavity the orbit
// closes in the four transverse dimensions at the given δ. Throws std::invalid_argument with one
// sentence if there is no closed orbit, or if an element has no expansion.
ClosedOrbit closed_orbit(const std::vector<Element>& passage, double delta = 0.0);

}  // namespace phasewise::beam
