// Kicks whose Hamiltonian depends on two commuting linear forms of the coordinates: both forms stay
// as they are, so that one step is the exact flow.
#pragma once

#include "beam/coordinates.hpp"
#include "parallel/macros.hpp"

namespace phasewise::beam {

// The value of a linear form of x px y py z delta.
PHASEWISE_HD double value_of(const double (&form)[6], const Coordinates& c) {
  return ((form[0] * c.x + form[1] * c.px) + (form[2] * c.y + form[3] * c.py)) +
         (form[4] * c.z + form[5] * c.delta);
}

// The step along the flow of a Hamiltonian with the derivatives a and b by the two forms.
PHASEWISE_HD void flow(Coordinates& c, double a, const double (&f)[6], double b,
                       const double (&g)[6]) {
  c.x += a * f[1] + b * g[1];
  c.px -= a * f[0] + b * g[0];
  c.y += a * f[3] + b * g[3];
  c.py -= a * f[2] + b * g[2];
  c.z += a * f[5] + b * g[5];
  c.delta -= a * f[4] + b * g[4];
}

}  // namespace phasewise::beam
