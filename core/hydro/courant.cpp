#include "hydro/courant.hpp"

#include <algorithm>
#include <cmath>

namespace phasewise::hydro {

RowKernels::RowKernels(const Gas& gas, const Grid& grid) : gas_(gas), grid_(grid) {
  for (int i = 0; i < grid.zones_along(0); ++i) {
    const Axis& axis = grid.axes[0];
    inverse_radius_.push_back(is_radius(axis.geometry) ? 1.0 / axis.centre(i) : 1.0);
    share_.push_back(grid.share(0, i) * grid.share_of_lacking());
  }
}

RowKernels::Scales RowKernels::scales_of(const Row& row) const {
  Scales scales;
  for (int axis = 0; axis < grid_.dimensions(); ++axis) {
    const Axis& of = grid_.axes[axis];
    scales.by_radius[axis] = is_angle(of.geometry);
    scales.inverse_length[axis] = 1.0 / of.width();
    if (of.geometry == Geometry::azimuth) {
      const Axis& polar = grid_.axes[1];
      scales.inverse_length[axis] /= polar.sine(polar.centre_from_middle(row.first.at[1]));
    }
    if (axis > 0) scales.share *= grid_.share(axis, row.first.at[axis]);
  }
  return scales;
}

double RowKernels::rate(const Row& row, int n, const Scales& scales) const {
  const double c =
      std::sqrt(gas_.gamma * row.values[field::pressure][n] / row.values[field::density][n]);
  double fastest = 0.0;
  for (int axis = 0; axis < grid_.dimensions(); ++axis) {
    const double radius = scales.by_radius[axis] ? inverse_radius_[row.first.at[0] + n] : 1.0;
    const double u = std::fabs(row.values[field::velocity + axis][n]);
    // A NaN stays.
    const double found = (u > c ? u : c) * (scales.inverse_length[axis] * radius);
    fastest = found <= fastest ? fastest : found;
  }
  return fastest;
}

double RowKernels::inverse_timestep(const Row& row) const {
  const Scales scales = scales_of(row);
  double fastest = 0.0;
  for (int n = 0; n < row.zones; ++n) {
    const double found = rate(row, n, scales);
    fastest = found <= fastest || fastest != fastest ? fastest : found;
  }
  return fastest;
}

Zone RowKernels::fastest_zone(const Row& row) const {
  const Scales scales = scales_of(row);
  const double wanted = inverse_timestep(row);
  Zone zone = row.first;
  for (int n = 0; n < row.zones; ++n) {
    const double found = rate(row, n, scales);
    if (found != wanted && found == found) continue;
    zone.at[0] += n;
    return zone;
  }
  return zone;
}

double RowKernels::integrals(const Row& row, double* const sums[quantities]) const {
  const double share = scales_of(row).share, internal = 1.0 / (gas_.gamma - 1.0);
  double mach_square = 0.0;
  for (int n = 0; n < row.zones; ++n) {
    const double volume = share * share_[row.first.at[0] + n];
    const double density = row.values[field::density][n], p = row.values[field::pressure][n];
    const double in_zone = density * volume;
    double squares = 0.0;
    for (int d = 0; d < 3; ++d) {
      const double u = row.values[field::velocity + d][n];
      sums[momentum + d][n] = in_zone * u;
      squares += u * u;
    }
    sums[RowKernels::mass][n] = in_zone;
    sums[energy][n] = volume * (p * internal + 0.5 * density * squares);
    mach_square = std::max(mach_square, squares * density / (gas_.gamma * p));
  }
  return std::sqrt(mach_square);
}

}  // namespace phasewise::hydro
