// A slice of a bunch, as the Gaussian of its first and second transverse moments.
#pragma once

#include <array>

#include "parallel/macros.hpp"

namespace phasewise::collision {

// The crab waist of a slice: a particle at x has its waist in y at s = -slope (x - x0), x0 being
// the beam's axis.
struct SliceWaist {
  double slope = 0.0;
  double x = 0.0;     // x0 at the slice's centre [m]
  double tilt = 0.0;  // dx0/dz
};

// Means and second moments of x px y py at the reference plane.
struct GaussianSlice {
  double count = 0.0;  // macroparticles
  double z = 0.0;      // m
  std::array<double, 4> mean{};
  std::array<double, 3> xx{}, yy{};  // <u u>, <u p>, <p p>, central
  std::array<double, 4> xy{};        // <x y>, <x py>, <px y>, <px py>, central
  SliceWaist waist{};
  std::array<double, 3> own_yy{};  // yy of a slice with a crab waist, as it is without one

  // Centre and sizes at a distance s along its own beam.
  PHASEWISE_HD double x_at(double s) const { return mean[0] + s * mean[1]; }
  PHASEWISE_HD double y_at(double s) const { return mean[2] + s * mean[3]; }
  PHASEWISE_HD double sxx_at(double s) const { return xx[0] + s * (2.0 * xx[1] + s * xx[2]); }
  PHASEWISE_HD double syy_at(double s) const { return yy[0] + s * (2.0 * yy[1] + s * yy[2]); }
  // The distance from the waist of what is at x.
  PHASEWISE_HD double from_waist(double s, double x) const {
    return s + waist.slope * (x - waist.x);
  }
  // The height of a slice with a crab waist, where it is met at x; else the slice's height.
  PHASEWISE_HD double syy_at(double s, double x) const {
    if (waist.slope == 0.0) return syy_at(s);
    const double w = from_waist(s, x);
    return own_yy[0] + w * (2.0 * own_yy[1] + w * own_yy[2]);
  }
  PHASEWISE_HD double sxy_at(double s) const { return xy[0] + s * (xy[1] + xy[2] + s * xy[3]); }
};

// The slice with `yy` as it is without a crab waist, so that its height where it is met at x is
// syy_at(from_waist(s, x)).
inline GaussianSlice without_effect_of_waist(GaussianSlice slice) {
  if (slice.waist.slope != 0.0) slice.yy = slice.own_yy;
  return slice;
}

// The overlap ∫ρ1 ρ2 dx dy [1/m²] of two slices, per particle of each, with a at s_a along its beam
// and b at s_b along its own. more_xx and more_yy are added to the sum of both variances [m²].
double overlap(const GaussianSlice& a, double s_a, const GaussianSlice& b, double s_b,
               double more_xx = 0.0, double more_yy = 0.0);

}  // namespace phasewise::collision
