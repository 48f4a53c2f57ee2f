// Carlson's symmetric elliptic integral R_D (Carlson, Numer. Algorithms 10 (1995) 13).
#pragma once

#include <algorithm>
#include <cmath>

namespace phasewise::numerics {

// R_D(x, y, z) = 3/2 ∫ dt (t + x)^(-1/2) (t + y)^(-1/2) (t + z)^(-3/2) over t > 0, accurate to a
// few units in the last place, for x, y >= 0 with x + y > 0, and z > 0.
inline double carlson_rd(double x, double y, double z) {
  double sum = 0.0, factor = 1.0;
  double mean = (x + y + 3.0 * z) / 5.0;
  // The error of the series below is of the sixth power of the differences.
  while (std::max({std::fabs(mean - x), std::fabs(mean - y), std::fabs(mean - z)}) > 1e-3 * mean) {
    const double rx = std::sqrt(x), ry = std::sqrt(y), rz = std::sqrt(z);
    const double lambda = rx * ry + rx * rz + ry * rz;
    sum += factor / (rz * (z + lambda));
    factor *= 0.25;
    x = 0.25 * (x + lambda);
    y = 0.25 * (y + lambda);
    z = 0.25 * (z + lambda);
    mean = (x + y + 3.0 * z) / 5.0;
  }
  const double u = (mean - x) / mean, v = (mean - y) / mean, w = -(u + v) / 3.0;
  const double e2 = u * v - 6.0 * w * w, e3 = (3.0 * u * v - 8.0 * w * w) * w;
  const double e4 = 3.0 * (u * v - w * w) * w * w, e5 = u * v * w * w * w;
  const double series = 1.0 - 3.0 / 14.0 * e2 + e3 / 6.0 + 9.0 / 88.0 * e2 * e2 - 3.0 / 22.0 * e4 -
                        9.0 / 52.0 * e2 * e3 + 3.0 / 26.0 * e5;
  return 3.0 * sum + factor * series / (mean * std::sqrt(mean));
}

}  // namespace phasewise::numerics
