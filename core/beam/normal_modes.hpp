// Normal modes of a symplectic matrix, with whatever coupling it has, found without eigenvectors
// (after Wolski, Phys. Rev. ST Accel. Beams 9 (2006) 024001, who writes the beam by its modes'
// tensors).
//
// M + M⁻¹ has the eigenvalues 2 cos μ_k, each twice, and polynomials of it project onto the plane
// of each mode, P_k. There M = cos μ_k + J_k sin μ_k, J_k² = -1: a pair of vectors b, a = J b with
// a·Ω·b = 1 spans the plane, and a particle √(2J)(a cos φ - b sin φ) advances by φ → φ + μ.
#pragma once

#include <array>
#include <vector>

#include "beam/square.hpp"

namespace phasewise::beam {

struct NormalMode {
  int plane = 0;                   // the plane that the mode is most in: 0, 1, 2 for x, y, z
  double phase = 0.0;              // μ/2π, within (-1/2, 1/2)
  std::array<double, 6> a{}, b{};  // b has no part along the position of its plane, if uncoupled
};

// The modes of the first `dimensions` (4 or 6) rows, one for each plane, in the order of the
// planes. Throws std::invalid_argument with one sentence if the motion is unstable, or if two
// coupled modes have the same tune, so that any mixture of them is a mode.
std::vector<NormalMode> normal_modes(const Square& matrix, int dimensions);

}  // namespace phasewise::beam
