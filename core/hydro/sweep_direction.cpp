#include "hydro/sweep_direction.hpp"

#include <cmath>

namespace phasewise::hydro {
namespace {

// Whether gas that moves along this axis keeps its angular momentum in another velocity: an azimuth
// or an angle, also one that the grid lacks.
bool turns(const Grid& grid, Geometry along, int other) {
  const bool lacking = other >= grid.dimensions();
  if (!lacking && !is_angle(grid.axes[other].geometry)) return false;
  if (along == Geometry::spherical_radius) return true;
  if (along == Geometry::polar_angle) return other == 2;
  if (along != Geometry::cylindrical_radius) return false;
  if (!lacking || other == 1) return true;
  return grid.dimensions() == 2 && grid.axes[1].geometry == Geometry::planar;
}

}  // namespace

GhostSource ghost_source(const Axis& axis, int i) {
  const int n = axis.zones;
  bool mirrored = false;
  // A pencil of few zones is mirrored, or repeated, several times.
  while (i < 0 || i >= n) {
    const Boundary boundary = i < 0 ? axis.at_low : axis.at_high;
    if (boundary == Boundary::inflow) return {-1};
    if (boundary == Boundary::outflow) return {i < 0 ? 0 : n - 1, mirrored};
    if (boundary == Boundary::periodic) {
      i += i < 0 ? n : -n;
    } else {
      i = i < 0 ? -1 - i : 2 * n - 1 - i;
      mirrored = !mirrored;
    }
  }
  return {i, mirrored};
}

SweepDirection::SweepDirection(const SweepSetting& setting, int direction)
    : grid_(setting.grid),
      gravity_(setting.gravity),
      direction_(direction),
      tables_(setting.grid.axes[direction]) {
  for (int other = 0, found = 0; other < 3; ++other)
    if (other != direction) others_[found++] = other;
  const int velocities[] = {direction, others_[0], others_[1]};
  fields_[field::density] = field::density;
  fields_[field::pressure] = field::pressure;
  inflow_[field::density] = setting.inflow.density;
  inflow_[field::pressure] = setting.inflow.pressure;
  for (int v = 0; v < 3; ++v) {
    fields_[normal + v] = field::velocity + velocities[v];
    inflow_[normal + v] = setting.inflow.velocity[velocities[v]];
  }
  const bool pulls = gravity_.point_mass != 0.0 && !is_angle(axis().geometry);
  constants_ = {.gamma = setting.gas.gamma,
                .density_floor = setting.gas.density_floor,
                .pressure_floor = setting.gas.pressure_floor,
                .timestep = 0.0,
                .carries_flattening = grid_.dimensions() > 1,
                .has_gravity = gravity_.acceleration[direction] != 0.0 || pulls,
                .turning = {turns(grid_, axis().geometry, others_[0]),
                            turns(grid_, axis().geometry, others_[1])}};
}

SweepConstants SweepDirection::constants(double timestep) const {
  SweepConstants found = constants_;
  found.timestep = timestep;
  return found;
}

Zone SweepDirection::zone_of(const Pencils& pencils, int pencil, int i) const {
  Zone zone;
  zone.at[direction_] = i;
  for (int other = 0; other < 2; ++other)
    zone.at[others_[other]] =
        pencils.first_other[other] + (other == pencils.other_step ? pencil : 0);
  return zone;
}

double SweepDirection::radius(const Pencils& pencils, int pencil) const {
  return grid_.radius(direction_, zone_of(pencils, pencil, 0));
}

double SweepDirection::gravity(const Zone& zone) const {
  const double uniform = gravity_.acceleration[direction_];
  if (gravity_.point_mass == 0.0 || is_angle(axis().geometry)) return uniform;
  double squares = 0.0;
  for (int other = 0; other < grid_.dimensions(); ++other)
    if (!is_angle(grid_.axes[other].geometry)) {
      const double x = grid_.axes[other].centre(zone.at[other]);
      squares += x * x;
    }
  const double x = axis().centre(zone.at[direction_]);
  return uniform - gravity_.point_mass * x / (squares * std::sqrt(squares));
}

}  // namespace phasewise::hydro
