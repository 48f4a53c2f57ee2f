// Means over zones.
#pragma once

#include "hydro/grid.hpp"

namespace phasewise::hydro {

// Gauss-Legendre quadrature of four points, of weights that add up to one, on [-1/2, 1/2].
inline constexpr double gauss_points[4] = {-0.430568155797026287612, -0.169990521792428132401,
                                           0.169990521792428132401, 0.430568155797026287612};
inline constexpr double gauss_weights[4] = {0.173927422568726928687, 0.326072577431273071313,
                                            0.326072577431273071313, 0.173927422568726928687};

// By what the area across an axis grows with the coordinate.
inline double area_factor(const Axis& axis, double x) {
  if (axis.geometry == Geometry::cylindrical_radius) return x;
  if (axis.geometry == Geometry::spherical_radius) return x * x;
  return axis.geometry == Geometry::polar_angle ? axis.sine(x - axis.middle()) : 1.0;
}

// Calls f(point, weight) for the points of a zone, four in each of `parts` along each axis. The
// weights are shares of the volume and add up to one.
template <class F>
void for_points(const Grid& grid, const Zone& zone, int parts, F&& f) {
  const int dimensions = grid.dimensions(), each = 4 * parts;
  int count = 1;
  for (int axis = 0; axis < dimensions; ++axis) count *= each;
  const auto take = [&](int number, double* point) {
    double weight = 1.0;
    for (int axis = 0; axis < dimensions; ++axis, number /= each) {
      const Axis& of = grid.axes[axis];
      const int part = number % each / 4, node = number % 4;
      const double from_centre = (part + 0.5 + gauss_points[node]) / parts - 0.5;
      point[axis] = of.centre(zone.at[axis]) + of.width() * from_centre;
      weight *= gauss_weights[node] / parts * of.width() * area_factor(of, point[axis]) /
                grid.share(axis, zone.at[axis]);
    }
    return weight;
  };
  double point[3] = {};
  for (int number = 0; number < count; ++number) {
    const double weight = take(number, point);
    f(static_cast<const double*>(point), weight);
  }
}

}  // namespace phasewise::hydro
