// A crab cavity at any place around an interaction point, with errors of phase and amplitude.
//
// Its kick p → p - A sin(2π(κ z + θ)) of the momentum in the crossing plane is the flow of
// H = A sin(2π(κ z + θ)) u, u and z those at the cavity. Y.-P. Sun et al., PRSTAB 12 (2009) 101002;
// on noise: P. Baudrenghien, T. Mastoridis, PRSTAB 18 (2015) 101001.
#pragma once

#include "beam/coordinates.hpp"
#include "beam/form.hpp"
#include "numerics/constants.hpp"
#include "numerics/elementary.hpp"
#include "parallel/macros.hpp"

namespace phasewise::beam {

struct CrabCavity {
  double u[6]{}, z[6]{};     // position in the crossing plane, and z, at the cavity
  double amplitude = 0.0;    // A; where u is a momentum, A is in m
  double wave_number = 0.0;  // κ, turns/m
  double phase = 0.0;        // θ, turns

  PHASEWISE_HD void apply(Coordinates& c) const {
    using numerics::two_pi;
    double sine, cosine;
    numerics::sincos_turns(wave_number * value_of(z, c) + phase, sine, cosine);
    flow(c, amplitude * sine, u, two_pi * wave_number * amplitude * cosine * value_of(u, c), z);
  }

  // The same cavity with a phase error [rad] and a relative error of its amplitude.
  CrabCavity with_errors(double phase_error, double amplitude_error) const {
    CrabCavity result = *this;
    result.phase += phase_error / numerics::two_pi;
    result.amplitude *= 1.0 + amplitude_error;
    return result;
  }
};

}  // namespace phasewise::beam
