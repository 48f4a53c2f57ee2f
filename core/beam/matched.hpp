// Bunches whose second moments return after each passage of a lattice.
#pragma once

#include "beam/maps.hpp"
#include "beam/square.hpp"

namespace phasewise::beam {

// The rms emittances of the modes, and the bunch's rms along z and in δ.
struct BunchSize {
  double emittance_x = 0.0, emittance_y = 0.0;       // m
  double bunch_length = 0.0, momentum_spread = 0.0;  // m, 1; rms
};

// The columns c of a matched bunch: its particles are Σ_k c_k v_k with deviates v of rms 1, two for
// each plane.
//
// The transverse columns come from the planes of a lattice that does not couple them, else from its
// normal modes, and include the dispersion; z and δ are independent. Throws std::invalid_argument
// with one sentence if the motion is unstable.
Square matched_columns(const SecondOrder& passage, const BunchSize& size);

// The same in all six dimensions, from the normal modes of a lattice with a cavity. One of
// bunch_length and momentum_spread is 0 and follows from the other.
Square matched_columns_with_rf(const SecondOrder& passage, const BunchSize& size);

}  // namespace phasewise::beam
