#include "hydro/grid.hpp"

#include <cmath>

#include "numerics/constants.hpp"

namespace phasewise::hydro {
namespace {

constexpr double pi = 0.5 * numerics::two_pi;

bool has(const Grid& grid, Geometry geometry) {
  for (const Axis& axis : grid.axes)
    if (axis.geometry == geometry) return true;
  return false;
}

}  // namespace

double Axis::sine(double distance) const { return std::cos((middle() - 0.5 * pi) + distance); }
double Axis::cosine(double distance) const { return -std::sin((middle() - 0.5 * pi) + distance); }

std::int64_t Grid::zones() const {
  std::int64_t product = 1;
  for (const Axis& axis : axes) product *= axis.zones;
  return product;
}

std::int64_t Grid::number_of(const Zone& zone) const {
  return zone.at[0] + zones_along(0) * (zone.at[1] + std::int64_t{zones_along(1)} * zone.at[2]);
}

Zone Grid::zone_of(std::int64_t number) const {
  const std::int64_t n1 = zones_along(0), n2 = zones_along(1);
  return {{static_cast<int>(number % n1), static_cast<int>(number / n1 % n2),
           static_cast<int>(number / n1 / n2)}};
}

double Grid::share(int axis, int i) const {
  const Axis& of = axes[axis];
  const double width = of.width(), centre = of.centre(i);
  switch (of.geometry) {
    case Geometry::cylindrical_radius:
      return width * centre;
    case Geometry::spherical_radius:
      return width * (centre * centre + width * width / 12.0);
    case Geometry::polar_angle:
      return 2.0 * std::sin(0.5 * width) * of.sine(of.centre_from_middle(i));
    default:
      return width;
  }
}

double Grid::share_of_lacking() const {
  if (has(*this, Geometry::spherical_radius)) {
    const double turn = has(*this, Geometry::azimuth) ? 1.0 : 2.0 * pi;
    return has(*this, Geometry::polar_angle) ? turn : 2.0 * turn;
  }
  if (has(*this, Geometry::cylindrical_radius))
    return has(*this, Geometry::cylindrical_angle) ? 1.0 : 2.0 * pi;
  return 1.0;
}

double Grid::volume(const Zone& zone) const {
  double product = share_of_lacking();
  for (int axis = 0; axis < dimensions(); ++axis) product *= share(axis, zone.at[axis]);
  return product;
}

double Grid::radius(int axis, const Zone& zone) const {
  const Geometry geometry = axes[axis].geometry;
  if (!is_angle(geometry)) return 1.0;
  const double r = axes[0].centre(zone.at[0]);
  if (geometry != Geometry::azimuth) return r;
  const Axis& polar = axes[1];
  return r * polar.sine(polar.centre_from_middle(zone.at[1]));
}

}  // namespace phasewise::hydro
