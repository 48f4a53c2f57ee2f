// Coordinates of an axis, and what happens at its ends.
#pragma once

#include <cstdint>

namespace phasewise::hydro {

// planar: a Cartesian coordinate, and z of cylindrical ones. cylindrical_angle: θ of (r, θ, z).
// polar_angle and azimuth: θ, from 0 at the pole to π, and φ of (r, θ, φ).
enum class Geometry : std::uint8_t {
  planar,
  cylindrical_radius,
  spherical_radius,
  cylindrical_angle,
  polar_angle,
  azimuth
};

enum class Boundary : std::uint8_t { reflecting, outflow, periodic, inflow };

// Whether the axis is a distance from a centre or from a line.
constexpr bool is_radius(Geometry geometry) {
  return geometry == Geometry::cylindrical_radius || geometry == Geometry::spherical_radius;
}

// Whether a length along the axis is an angle times a radius.
constexpr bool is_angle(Geometry geometry) {
  return geometry != Geometry::planar && !is_radius(geometry);
}

}  // namespace phasewise::hydro
