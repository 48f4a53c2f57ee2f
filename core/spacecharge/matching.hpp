// A bunch that is matched to a lattice with the linear part of its own force: the periodic solution
// of the rms envelope equations, in the steps of the simulation.
#pragma once

#include <vector>

#include "beam/matched.hpp"
#include "spacecharge/description.hpp"

namespace phasewise::spacecharge {

// Sacherer's equivalence (IEEE Trans. Nucl. Sci. 18 (1971) 1105): the rms sizes of a bunch follow
// the same equations, whatever its profile, if the force is replaced by that of the ellipsoid of
// uniform charge with the same rms sizes. For a long bunch this is exact with the line density's
// mean over the particles, <λ>, which replaces the ellipsoid's own mean, 3N/(5√5 σz). Modes keep
// their emittances.
struct MatchedWithCharge {
  beam::Square columns{};        // beam/matched.hpp
  std::vector<double> phases{};  // of each mode in a passage with this force, turns, in (-1/2, 1/2)
};

// `start` is the closed orbit where the lattice begins. If a cavity bunches the beam and one of
// bunch_length and momentum_spread is 0, all three planes are matched; else the bunch keeps its
// length. Throws std::invalid_argument with one sentence if there is no such solution.
MatchedWithCharge matched_with_charge(const Description& description, const beam::Place& start,
                                      const beam::BunchSize& size);

}  // namespace phasewise::spacecharge
