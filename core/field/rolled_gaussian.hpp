// The field of a two-dimensional Gaussian charge whose axes are rotated against x and y: that of
// Bassetti and Erskine in the principal axes of its covariance. The derivatives of u by the
// elements of the covariance are those of the heat equation, ∂u/∂σxx = ½ ∂²u/∂x² and ∂u/∂σxy =
// ∂²u/∂x∂y; Leunissen, Schmidt, Ripken, PRSTAB 3 (2000) 124002.
#pragma once

#include <cmath>

#include "field/bassetti_erskine.hpp"
#include "parallel/macros.hpp"

namespace phasewise::field {

// All in m²; xy is counted once.
struct Covariance {
  double xx, xy, yy;
};

// The principal axes of the covariance: the first points along (cosine, sine), the second at a
// right angle to it.
struct PrincipalAxes {
  double cosine, sine;
  double sigma_1, sigma_2;  // m
};

// The variances along the axes are kept above `least_1` and `least_2`: without a roll those along x
// and y, else the larger and the smaller one.
PHASEWISE_HD PrincipalAxes principal_axes(const Covariance& c, double least_1, double least_2) {
  if (c.xy == 0.0)
    return {1.0, 0.0, std::sqrt(std::fmax(c.xx, least_1)), std::sqrt(std::fmax(c.yy, least_2))};
  const double half = 0.5 * (c.xx - c.yy);
  const double radius = std::sqrt(half * half + c.xy * c.xy);
  const double larger = 0.5 * (c.xx + c.yy) + radius;
  // The angle is that of the larger variance; of the two half-angle forms the one that adds is
  // used.
  const double major = std::sqrt(0.5 * (1.0 + std::fabs(half) / radius));
  const double minor = 0.5 * c.xy / (radius * major);
  const double cosine = half >= 0.0 ? major : std::fabs(minor);
  const double sine = half >= 0.0 ? minor : std::copysign(major, c.xy);
  const double smaller = (c.xx * c.yy - c.xy * c.xy) / larger;
  return {cosine, sine, std::sqrt(std::fmax(larger, std::fmax(least_1, least_2))),
          std::sqrt(std::fmax(smaller, std::fmin(least_1, least_2)))};
}

// The field along x and y of a unit charge, at (x, y) from its centre, all in m.
PHASEWISE_HD GaussianField rolled_gaussian_field(double x, double y, const PrincipalAxes& a) {
  if (a.sine == 0.0) return gaussian_field(x, y, a.sigma_1, a.sigma_2);
  const double c = a.cosine, s = a.sine;
  const GaussianField f = gaussian_field(c * x + s * y, c * y - s * x, a.sigma_1, a.sigma_2);
  const double cc = c * c, ss = s * s, cs = c * s;
  return {c * f.ex - s * f.ey, s * f.ex + c * f.ey,
          cc * f.potential_sxx - cs * f.potential_sxy + ss * f.potential_syy,
          ss * f.potential_sxx + cs * f.potential_sxy + cc * f.potential_syy,
          2.0 * cs * (f.potential_sxx - f.potential_syy) + (cc - ss) * f.potential_sxy};
}

}  // namespace phasewise::field
