// Normalised coordinates at a place with given Twiss functions and dispersion.
#pragma once

#include <cmath>

#include "beam/coordinates.hpp"
#include "parallel/macros.hpp"

namespace phasewise::beam {

// Twiss functions of one plane: x = sqrt(β) X, px = (P - α X)/sqrt(β).
struct PlaneOptics {
  double sqrt_beta = 1.0;  // sqrt(m)
  double alpha = 0.0;
  double dispersion = 0.0;        // m
  double dispersion_slope = 0.0;  // of px, 1
};

inline PlaneOptics plane_optics(double beta, double alpha, double dispersion, double slope) {
  return {std::sqrt(beta), alpha, dispersion, slope};
}

struct Optics {
  PlaneOptics x, y;
};

// Removes the dispersion and normalises both transverse planes (sqrt(m)): the actions are then (x²
// + px²)/2 and (y² + py²)/2. Using z + D' x - D px keeps the transformation symplectic.
PHASEWISE_HD Coordinates normalise(const Coordinates& c, const Optics& o) {
  Coordinates n = c;
  const double x = c.x - o.x.dispersion * c.delta;
  const double px = c.px - o.x.dispersion_slope * c.delta;
  const double y = c.y - o.y.dispersion * c.delta;
  const double py = c.py - o.y.dispersion_slope * c.delta;
  n.z = c.z + ((o.x.dispersion_slope * x - o.x.dispersion * px) +
               (o.y.dispersion_slope * y - o.y.dispersion * py));
  n.x = x / o.x.sqrt_beta;
  n.px = o.x.alpha * n.x + px * o.x.sqrt_beta;
  n.y = y / o.y.sqrt_beta;
  n.py = o.y.alpha * n.y + py * o.y.sqrt_beta;
  return n;
}

PHASEWISE_HD Coordinates denormalise(const Coordinates& n, const Optics& o) {
  Coordinates c = n;
  const double x = n.x * o.x.sqrt_beta;
  const double px = (n.px - o.x.alpha * n.x) / o.x.sqrt_beta;
  const double y = n.y * o.y.sqrt_beta;
  const double py = (n.py - o.y.alpha * n.y) / o.y.sqrt_beta;
  c.z = n.z - ((o.x.dispersion_slope * x - o.x.dispersion * px) +
               (o.y.dispersion_slope * y - o.y.dispersion * py));
  c.x = x + o.x.dispersion * n.delta;
  c.px = px + o.x.dispersion_slope * n.delta;
  c.y = y + o.y.dispersion * n.delta;
  c.py = py + o.y.dispersion_slope * n.delta;
  return c;
}

}  // namespace phasewise::beam
