// The optics that repeat after each passage of a lattice, from the matrix of a passage (Courant and
// Snyder, Ann. Phys. 3 (1958) 1), and the optics carried from one place to another.
#pragma once

#include <array>

#include "beam/linear_optics.hpp"
#include "beam/maps.hpp"

namespace phasewise::beam {

struct PeriodicOptics {
  Optics optics;            // where the lattice begins and ends
  double phase_x, phase_y;  // advance in a passage, turns, within [0, 1)
  double slip;              // dz/dδ in a passage, on the dispersion orbit [m]
  double beta_z;            // bunch length over momentum spread [m]; 0 without bunching
};

// Whether x and y depend on each other.
bool couples(const SecondOrder& passage);

// The closed orbit per δ where a passage begins, (D, 0, 1) with D = M D + the column of δ. Throws
// std::invalid_argument with one sentence if there is none.
std::array<double, 6> periodic_dispersion(const SecondOrder& passage);

// Throws std::invalid_argument with one sentence if the planes are coupled, or if the motion in one
// of them is unstable.
PeriodicOptics periodic_optics(const SecondOrder& passage);

// The optics after a map, from those before it, and the phase advance in turns, within [0, 1).
struct CarriedOptics {
  Optics optics;
  double phase_x, phase_y;
};
CarriedOptics carried(const Optics& before, const SecondOrder& map);

}  // namespace phasewise::beam
