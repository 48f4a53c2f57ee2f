// A thin pair of crab cavities around an interaction point, one on each side.
//
// Seen from the interaction point they displace a particle along the crossing plane by
// -s tan φ sin(k z)/k: the flow of H = -s tan φ (sin(k z)/k) p, with p the momentum in that plane,
// hence the kick δ → δ + s tan φ cos(k z) p. s = 1 undoes the tilt z tan φ of the boost.
// Calaga, Chamonix workshop (2014), CERN-2015-003; Sun et al., PRSTAB 12 (2009) 101002.
#pragma once

#include "beam/boost.hpp"
#include "beam/coordinates.hpp"
#include "numerics/constants.hpp"
#include "numerics/elementary.hpp"
#include "parallel/macros.hpp"

namespace phasewise::beam {

struct CrabPair {
  double tilt = 0.0;  // s tan φ
  // k/2π, turns/m; the default makes sin(k z)/k equal to z in double precision.
  double wave_number = 1e-12;
  double cos_alpha = 1.0;
  double sin_alpha = 0.0;

  // Applies the cavity before the interaction point.
  PHASEWISE_HD void apply(Coordinates& c) const { shift(c, -tilt); }
  // Applies the cavity after it.
  PHASEWISE_HD void undo(Coordinates& c) const { shift(c, tilt); }

 private:
  PHASEWISE_HD void shift(Coordinates& c, double slope) const {
    using numerics::two_pi;
    double sine, cosine;
    numerics::sincos_turns(wave_number * c.z, sine, cosine);
    const double displacement = slope * (sine / (two_pi * wave_number));
    const double momentum = c.px * cos_alpha + c.py * sin_alpha;
    c.x = c.x + cos_alpha * displacement;
    c.y = c.y + sin_alpha * displacement;
    c.delta = c.delta - slope * cosine * momentum;
  }
};

// A strength of 1 is full compensation; frequency is in Hz, and 0 means so low that the tilt is
// linear in z.
inline CrabPair crab_pair(double strength, double frequency, const CrossingAngle& angle) {
  CrabPair crab;
  crab.tilt = strength * angle.tan_phi;
  if (frequency > 0.0) crab.wave_number = frequency / numerics::speed_of_light;
  crab.cos_alpha = angle.cos_alpha;
  crab.sin_alpha = angle.sin_alpha;
  return crab;
}

}  // namespace phasewise::beam
