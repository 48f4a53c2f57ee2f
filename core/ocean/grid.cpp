#include "ocean/grid.hpp"

#include <cmath>

#include "numerics/constants.hpp"
#include "numerics/elementary.hpp"

namespace phasewise::ocean {
namespace {

using numerics::sincos_turns;

constexpr double degrees_of_turn = 360.0;

Grid::Row row_on_sphere(const GridSetting& setting, int j) {
  const double south = setting.latitudes[0], north = setting.latitudes[1];
  const double step = (north - south) / setting.ny;
  const double cells = south + (j + 0.5) * step, corners = south + (j + 1.0) * step;
  double sine_cell, cosine_cell, sine, cosine;
  sincos_turns(cells / degrees_of_turn, sine_cell, cosine_cell);
  sincos_turns(corners / degrees_of_turn, sine, cosine);
  const double dx = earth_radius * numerics::two_pi / setting.nx;
  const double dy = earth_radius * numerics::two_pi * step / degrees_of_turn;
  return {.dx_cell = dx * cosine_cell,
          .dx_corner = dx * cosine,
          .dy = dy,
          .area_cell = dx * cosine_cell * dy,
          .coriolis = 2.0 * earth_rotation * sine,
          .curvature = sine / (cosine * earth_radius),
          .latitude = cells,
          .northing = (j + 0.5) / (setting.ny - 1)};
}

Grid::Row row_on_plane(const GridSetting& setting, int j) {
  const double dx = setting.extent[0] / setting.nx, dy = setting.extent[1] / setting.ny;
  const double y = (j + 1.0) * dy - 0.5 * setting.extent[1];
  return {.dx_cell = dx,
          .dx_corner = dx,
          .dy = dy,
          .area_cell = dx * dy,
          .coriolis = setting.coriolis + setting.beta * y,
          .curvature = 0.0,
          .latitude = 0.0,
          .northing = (j + 0.5) / (setting.ny - 1)};
}

}  // namespace

Grid::Grid(const GridSetting& setting) : setting_(setting), depth_{0.0} {
  for (int j = -2; j < setting.ny + 2; ++j)
    rows_.push_back(setting.geometry == Geometry::sphere ? row_on_sphere(setting, j)
                                                         : row_on_plane(setting, j));
  for (const double thickness : setting.thickness) depth_.push_back(depth_.back() + thickness);
}

}  // namespace phasewise::ocean
