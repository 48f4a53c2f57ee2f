// The coordinates at another place of the ring as linear forms of those at an interaction point.
#pragma once

#include <array>

#include "beam/coordinates.hpp"
#include "beam/linear_optics.hpp"

namespace phasewise::beam {

// A place without dispersion and coupling; α there does not matter for a thin kick.
struct KickPlace {
  std::array<double, 2> beta{};   // x, y [m]
  std::array<double, 2> phase{};  // phase advance between it and the interaction point, turns
  bool before = true;             // else behind the point
};

// x, y and z at the place, each as coefficients of x px y py z delta at the point.
struct PlaceForms {
  double x[6], y[6], z[6];
};

PlaceForms forms_at(const KickPlace& place, const Optics& point);

}  // namespace phasewise::beam
