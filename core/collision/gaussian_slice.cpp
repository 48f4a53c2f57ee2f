#include "collision/gaussian_slice.hpp"

#include <cmath>
#include <numbers>

#include "collision/waist.hpp"

namespace phasewise::collision {

double overlap(const GaussianSlice& a, double s_a, const GaussianSlice& b, double s_b,
               double more_xx, double more_yy) {
  if (a.waist.slope != 0.0 || b.waist.slope != 0.0)
    return overlap_of_waists(a, s_a, b, s_b, more_xx, more_yy);
  const double sxx = a.sxx_at(s_a) + b.sxx_at(s_b) + more_xx;
  const double syy = a.syy_at(s_a) + b.syy_at(s_b) + more_yy;
  const double sxy = a.sxy_at(s_a) + b.sxy_at(s_b);
  const double dx = a.x_at(s_a) - b.x_at(s_b), dy = a.y_at(s_a) - b.y_at(s_b);
  const double determinant = sxx * syy - sxy * sxy;
  if (!(sxx > 0.0 && determinant > 0.0)) return 0.0;
  const double distance = dx * (dx * syy - dy * sxy) + dy * (dy * sxx - dx * sxy);
  return std::exp(-0.5 * distance / determinant) /
         (2.0 * std::numbers::pi * std::sqrt(determinant));
}

}  // namespace phasewise::collision
