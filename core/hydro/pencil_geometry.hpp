// Areas, volumes and the other geometry of the zones of a pencil, with ghost zones beyond both
// ends. Lengths along an angle are those at the pencil's radius R.
#pragma once

#include <vector>

#include "hydro/grid.hpp"
#include "hydro/values.hpp"

namespace phasewise::hydro {

// Zones beyond each end of a pencil: a zone depends on so many neighbours on each side.
inline constexpr int ghosts = 6;

// How the area of a face changes as it moves.
enum class Shape : std::uint8_t { flat, cylinder, sphere, polar };
constexpr Shape shape_of(Geometry geometry) {
  if (geometry == Geometry::cylindrical_radius) return Shape::cylinder;
  if (geometry == Geometry::spherical_radius) return Shape::sphere;
  return geometry == Geometry::polar_angle ? Shape::polar : Shape::flat;
}

// One number for each zone or face from -ghosts on.
class Table {
 public:
  explicit Table(int zones = 0) : values_(zones + 2 * ghosts + 1) {}
  double& operator[](int i) { return values_[i + ghosts]; }
  double operator[](int i) const { return values_[i + ghosts]; }

 private:
  std::vector<double> values_;
};

// Tables of a direction; those of angles are for R = 1.
struct PencilTables {
  explicit PencilTables(const Axis& axis);

  int zones;
  double width;
  Table area, bend;              // of a face, and its derivative by the coordinate
  Table volume, inverse_volume;  // of a zone
  // Of a zone's centre: r or sin θ, and its derivative by the coordinate.
  Table arm, arm_change;
};

// What a pencil has of its own.
template <class V>
struct PencilScale {
  V radius, inverse_radius;  // R
  V width, inverse_width;    // of a zone [length]
};

template <class V>
struct Swept {
  V area, volume;  // the mean area, and the volume over which a face moves
};

// Face i moves by the length `move`.
template <Shape shape, class V>
PHASEWISE_HD Swept<V> swept(const PencilTables& tables, const PencilScale<V>& scale, int i,
                            V move) {
  if constexpr (shape == Shape::flat) return {all_of<V>(1.0), move};
  V area;
  const double at_rest = tables.area[i], bend = tables.bend[i];
  if constexpr (shape == Shape::cylinder) area = at_rest + (0.5 * bend) * move;
  if constexpr (shape == Shape::sphere) area = at_rest + move * (bend + move * (1.0 / 3.0));
  if constexpr (shape == Shape::polar) {
    // The mean of sin over the angle h, up to its fourth power.
    const V h = move * scale.inverse_radius, h2 = h * h;
    area = at_rest * (1.0 - h2 * (1.0 / 6.0 - h2 * (1.0 / 120.0))) +
           bend * (h * (0.5 - h2 * (1.0 / 24.0)));
  }
  return {area, area * move};
}

// The volume of zone i, and its inverse.
template <Shape shape, class V>
PHASEWISE_HD V volume_of(const PencilTables& tables, const PencilScale<V>& scale, int i) {
  if constexpr (shape == Shape::flat) return scale.width;
  if constexpr (shape == Shape::polar) return scale.radius * tables.volume[i];
  return all_of<V>(tables.volume[i]);
}
template <Shape shape, class V>
PHASEWISE_HD V inverse_volume_of(const PencilTables& tables, const PencilScale<V>& scale, int i) {
  if constexpr (shape == Shape::flat) return scale.inverse_width;
  if constexpr (shape == Shape::polar) return scale.inverse_radius * tables.inverse_volume[i];
  return all_of<V>(tables.inverse_volume[i]);
}

}  // namespace phasewise::hydro
