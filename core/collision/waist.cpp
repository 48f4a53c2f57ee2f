#include "collision/waist.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace phasewise::collision {
namespace {

// What the waist adds to <y y> and <y py>, from <u> and <u u> of x about the beam's axis.
std::array<double, 2> added(const GaussianSlice& slice, const SliceWaist& waist, double rms_z,
                            double y_py, double py_py) {
  const double u = slice.mean[0] - waist.x, tilt = waist.tilt * rms_z;
  const double uu = std::fmax(slice.xx[0] - tilt * tilt, 0.0) + u * u, k = waist.slope;
  return {k * (2.0 * u * y_py + k * uu * py_py), k * u * py_py};
}

// The trapezoidal rule for a Gaussian, in units of its rms: how far it goes, and the fewest and the
// most nodes on each side.
constexpr double reach_in_rms = 5.6;
constexpr int fewest_nodes = 16, most_nodes = 500;

struct Height {
  double y, variance;
};

// Centre and variance in y of the charge of a slice at x.
Height height_at(const GaussianSlice& slice, double s, double x) {
  const double sxx = slice.sxx_at(s), sxy = slice.sxy_at(s), slope = sxy / sxx;
  return {slice.y_at(s) + slope * (x - slice.x_at(s)),
          std::fmax(slice.syy_at(s, x) - slope * sxy, 0.0)};
}

}  // namespace

std::vector<SliceWaist> slice_waists(const CollisionFrame& frame, double cos_phi,
                                     const beam::SliceCuts& cuts) {
  std::vector<SliceWaist> result;
  if (frame.waist_slope() == 0.0) return result;
  const auto axis = [&](double z) {
    beam::Coordinates c{0.0, 0.0, 0.0, 0.0, z * cos_phi, 0.0};
    frame.enter(c);
    return c.x;
  };
  for (int s = 0; s < cuts.slices(); ++s) {
    const double z = cuts.z[s], step = cuts.rms[s];
    const double tilt = step > 0.0 ? (axis(z + step) - axis(z - step)) / (2.0 * step) : 0.0;
    result.push_back({frame.waist_slope(), axis(z), tilt});
  }
  return result;
}

void put_waist(GaussianSlice& slice, const SliceWaist& waist, double rms_z) {
  slice.waist = waist;
  const double py_py = slice.yy[2];
  const double y_py = slice.yy[1] - added(slice, waist, rms_z, 0.0, py_py)[1];
  const double y_y = slice.yy[0] - added(slice, waist, rms_z, y_py, py_py)[0];
  slice.own_yy = {std::fmax(y_y, 0.0), y_py, py_py};
}

void put_waist_of_design(GaussianSlice& slice, const SliceWaist& waist, double rms_z) {
  slice.waist = waist;
  slice.own_yy = slice.yy;
  const auto more = added(slice, waist, rms_z, slice.yy[1], slice.yy[2]);
  slice.yy[0] += more[0];
  slice.yy[1] += more[1];
}

double overlap_of_waists(const GaussianSlice& a, double s_a, const GaussianSlice& b, double s_b,
                         double more_xx, double more_yy) {
  const double xx_a = a.sxx_at(s_a) + 0.5 * more_xx, xx_b = b.sxx_at(s_b) + 0.5 * more_xx;
  if (!(xx_a > 0.0 && xx_b > 0.0)) return 0.0;
  const double both = xx_a + xx_b, apart = a.x_at(s_a) - b.x_at(s_b);
  const double centre = (a.x_at(s_a) * xx_b + b.x_at(s_b) * xx_a) / both;
  const double rms = std::sqrt(xx_a * xx_b / both);
  // Slices of different tilt overlap in a narrower part of x.
  const double tilt = a.sxy_at(s_a) / a.sxx_at(s_a) - b.sxy_at(s_b) / b.sxx_at(s_b);
  const double height = height_at(a, s_a, centre).variance + height_at(b, s_b, centre).variance;
  const double apart_in_y = tilt * rms;
  const double narrow = apart_in_y * apart_in_y / std::fmax(height + more_yy, 1e-300);
  const int half =
      static_cast<int>(std::fmin(std::ceil(fewest_nodes * std::sqrt(1.0 + narrow)), most_nodes));
  double sum = 0.0, weights = 0.0;
  for (int n = -half; n <= half; ++n) {
    const double t = reach_in_rms / half * n, x = centre + rms * t, weight = std::exp(-0.5 * t * t);
    const Height at_a = height_at(a, s_a, x), at_b = height_at(b, s_b, x);
    const double variance = at_a.variance + at_b.variance + more_yy, dy = at_a.y - at_b.y;
    weights += weight;
    if (variance > 0.0) sum += weight * std::exp(-0.5 * dy * dy / variance) / std::sqrt(variance);
  }
  return sum / weights * std::exp(-0.5 * apart * apart / both) /
         (2.0 * std::numbers::pi * std::sqrt(both));
}

}  // namespace phasewise::collision
