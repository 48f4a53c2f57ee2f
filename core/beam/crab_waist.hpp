// The crab waist: sextupoles before and behind an interaction point that turn the waist in y of a
// particle at x to s = -k x, which is the axis of the opposing beam where k = 1/tan 2φ.
//
// P. Raimondi, D. Shatilov, M. Zobov, physics/0702033; M. Zobov et al., Phys. Rev. Lett. 104 (2010)
// 174801. Seen from the point, a sextupole at phases π in x and π/2 in y is the flow of ½ k x py².
#pragma once

#include "beam/boost.hpp"
#include "beam/coordinates.hpp"
#include "beam/form.hpp"
#include "beam/place.hpp"
#include "parallel/macros.hpp"

namespace phasewise::beam {

// The flow of ½ k X Y² + c X³/6, with X and Y linear forms that commute.
struct WaistKick {
  double x[6]{}, y[6]{};
  double mixed = 0.0;  // k
  double cubic = 0.0;  // c

  PHASEWISE_HD void apply(Coordinates& c) const {
    const double at_x = value_of(x, c), at_y = value_of(y, c);
    flow(c, 0.5 * (mixed * at_y * at_y + cubic * at_x * at_x), x, mixed * at_x * at_y, y);
  }
};

// The thin kick at the point: X the position along the crossing plane, Y the momentum across it.
inline WaistKick thin_waist(double slope, const CrossingAngle& angle) {
  WaistKick kick;
  kick.x[0] = kick.y[3] = angle.cos_alpha;
  kick.x[2] = angle.sin_alpha;
  kick.y[1] = -angle.sin_alpha;
  kick.mixed = slope;
  return kick;
}

// A sextupole of integrated strength K2L [1/m²], H = K2L (x³ - 3 x y²)/6.
inline WaistKick sextupole(double strength, const PlaceForms& at) {
  WaistKick kick;
  for (int j = 0; j < 6; ++j) {
    kick.x[j] = at.x[j];
    kick.y[j] = at.y[j];
  }
  kick.mixed = -strength;
  kick.cubic = strength;
  return kick;
}

}  // namespace phasewise::beam
