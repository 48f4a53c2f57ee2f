#include "hydro/courant.hpp"

#include <algorithm>
#include <cmath>

#include "hydro/values.hpp"

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

template <class V>
V RowKernels::rate(const Row& row, int n, const Scales& scales) const {
  const auto value = [&](int f) { return loaded<V>(row.values[f] + n); };
  const V c = square_root(gas_.gamma * value(field::pressure) / value(field::density));
  V fastest{}, none = 0.0 * c;  // NaN where the state is no number
  for (int axis = 0; axis < grid_.dimensions(); ++axis) {
    const V u = magnitude(value(field::velocity + axis));
    none += 0.0 * u;
    V inverse_length = all_of<V>(scales.inverse_length[axis]);
    if (scales.by_radius[axis])
      inverse_length = inverse_length * loaded<V>(&inverse_radius_[row.first.at[0] + n]);
    fastest = larger(larger(u, c) * inverse_length, fastest);
  }
  return fastest + none;
}

double RowKernels::inverse_timestep(const Row& row) const {
  const Scales scales = scales_of(row);
  Lanes most{}, none{};
  int n = 0;
  for (; n + parallel::lanes <= row.zones; n += parallel::lanes) {
    const Lanes found = rate<Lanes>(row, n, scales);
    none += 0.0 * found;
    most = larger(found, most);
  }
  double fastest = 0.0, of_none = 0.0;
  for (int lane = 0; lane < parallel::lanes; ++lane) {
    fastest = larger(most[lane], fastest);
    of_none += none[lane];
  }
  for (; n < row.zones; ++n) {
    const double found = rate<double>(row, n, scales);
    of_none += 0.0 * found;
    fastest = larger(found, fastest);
  }
  return fastest + of_none;
}

Zone RowKernels::fastest_zone(const Row& row) const {
  const Scales scales = scales_of(row);
  const double wanted = inverse_timestep(row);
  Zone zone = row.first;
  for (int n = 0; n < row.zones; ++n) {
    const double found = rate<double>(row, n, scales);
    if (found != wanted && found == found) continue;
    zone.at[0] += n;
    return zone;
  }
  return zone;
}

template <class V>
V RowKernels::integrate(const Row& row, int n, double share, double* const sums[quantities]) const {
  const auto value = [&](int f) { return loaded<V>(row.values[f] + n); };
  const auto put = [&](int quantity, V sum) { stored(sums[quantity] + n, sum); };
  const V volume = share * loaded<V>(&share_[row.first.at[0] + n]);
  const V density = value(field::density), p = value(field::pressure), in_zone = density * volume;
  V squares{};
  for (int d = 0; d < 3; ++d) {
    const V u = value(field::velocity + d);
    put(momentum + d, in_zone * u);
    squares += u * u;
  }
  put(mass, in_zone);
  put(energy, volume * (p * (1.0 / (gas_.gamma - 1.0)) + 0.5 * density * squares));
  return squares * density / (gas_.gamma * p);
}

double RowKernels::integrals(const Row& row, double* const sums[quantities]) const {
  const double share = scales_of(row).share;
  Lanes most{};
  int n = 0;
  for (; n + parallel::lanes <= row.zones; n += parallel::lanes)
    most = larger(integrate<Lanes>(row, n, share, sums), most);
  double square = 0.0;
  for (int lane = 0; lane < parallel::lanes; ++lane) square = std::max(square, most[lane]);
  for (; n < row.zones; ++n) square = std::max(square, integrate<double>(row, n, share, sums));
  return std::sqrt(square);
}

}  // namespace phasewise::hydro
