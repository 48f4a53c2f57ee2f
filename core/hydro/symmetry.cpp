#include "hydro/symmetry.hpp"

#include <cmath>

namespace phasewise::hydro {

int symmetry_of(const Grid& grid) {
  if (grid.axes[0].geometry == Geometry::spherical_radius) return 3;
  int dimensions = grid.axes[0].geometry == Geometry::cylindrical_radius ? 1 : 0;
  for (const Axis& axis : grid.axes)
    if (!is_angle(axis.geometry)) ++dimensions;
  return dimensions;
}

double centre_along(const Axis& axis) {
  if (is_radius(axis.geometry)) return 0.0;
  return axis.low <= 0.0 && axis.high >= 0.0 ? 0.0 : axis.middle();
}

double distance(const Grid& grid, const double* point) {
  double squares = 0.0;
  for (int axis = 0; axis < grid.dimensions(); ++axis) {
    const Axis& of = grid.axes[axis];
    if (is_angle(of.geometry)) continue;
    const double x = point[axis] - centre_along(of);
    squares += x * x;
  }
  return std::sqrt(squares);
}

double reach(const Grid& grid) {
  double squares = 0.0;
  for (const Axis& axis : grid.axes)
    if (!is_angle(axis.geometry)) squares += 0.25 * axis.width() * axis.width();
  return std::sqrt(squares);
}

void from_centre(const Grid& grid, const Zone& zone, double* vector) {
  for (int axis = 0; axis < grid.dimensions(); ++axis) {
    const Axis& of = grid.axes[axis];
    vector[axis] = is_angle(of.geometry) ? 0.0 : of.centre(zone.at[axis]) - centre_along(of);
  }
}

bool along_first_axis(const Grid& grid) {
  for (int axis = 1; axis < grid.dimensions(); ++axis)
    if (!is_angle(grid.axes[axis].geometry)) return false;
  return true;
}

}  // namespace phasewise::hydro
