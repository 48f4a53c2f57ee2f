#include "hydro/problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "hydro/exact.hpp"
#include "hydro/quadrature.hpp"
#include "hydro/symmetry.hpp"
#include "numerics/constants.hpp"

namespace phasewise::hydro {
namespace {

using numerics::two_pi;

constexpr std::array<std::string_view, 11> names = {
    "sod", "lax",           "einfeldt",         "blast-waves",     "sedov",
    "noh", "acoustic-wave", "kelvin-helmholtz", "rayleigh-taylor", "evh1",
    "file"};

// The mean of a state that is constant between `breaks` along axis 1.
template <class At>
Primitive mean_of_pieces(const Axis& axis, int i, std::initializer_list<double> breaks, At&& at) {
  const double low = axis.face(i), high = axis.face(i + 1);
  Primitive mean;
  double from = low;
  const auto add = [&](double to) {
    const double share = (to - from) / (high - low);
    if (share <= 0.0) return;
    const Primitive piece = at(0.5 * (from + to));
    mean.density += share * piece.density;
    mean.pressure += share * piece.pressure;
    for (int d = 0; d < 3; ++d) mean.velocity[d] += share * piece.density * piece.velocity[d];
    from = to;
  };
  for (const double at_break : breaks) add(std::clamp(at_break, from, high));
  add(high);
  for (double& velocity : mean.velocity) velocity /= mean.density;
  return mean;
}

// Two states that meet in the middle of axis 1.
Primitive two_states(const Problem& problem, const Grid& grid, int i) {
  const Axis& axis = grid.axes[0];
  const auto [left, right] = riemann_states(problem.kind);
  const double middle = axis.middle();
  return mean_of_pieces(axis, i, {middle}, [&](double x) { return x < middle ? left : right; });
}

// Woodward, Colella, J. Comput. Phys. 54 (1984) 115: pressures 1000, 0.01 and 100.
Primitive blast_waves(const Grid& grid, int i) {
  const Axis& axis = grid.axes[0];
  const double length = axis.high - axis.low;
  const double first = axis.low + 0.1 * length, second = axis.low + 0.9 * length;
  return mean_of_pieces(axis, i, {first, second}, [&](double x) {
    return Primitive{.density = 1.0, .pressure = x < first ? 1000.0 : x < second ? 0.01 : 100.0};
  });
}

// The share of a zone that lies within a distance from the centre, by its volume.
double share_within(const Grid& grid, const Zone& zone, double radius) {
  if (along_first_axis(grid)) {
    const Axis& axis = grid.axes[0];
    const double power = is_radius(axis.geometry) ? symmetry_of(grid) : 1.0;
    const double low = axis.face(zone.at[0]) - centre_along(axis);
    const double high = axis.face(zone.at[0] + 1) - centre_along(axis);
    const auto inside = [&](double x) {
      return std::copysign(std::pow(std::min(std::fabs(x), radius), power), x);
    };
    const auto whole = [&](double x) { return std::copysign(std::pow(std::fabs(x), power), x); };
    return (inside(high) - inside(low)) / (whole(high) - whole(low));
  }
  double centre[3] = {}, squares = 0.0;
  from_centre(grid, zone, centre);
  for (const double x : centre) squares += x * x;
  const double r = std::sqrt(squares), most = reach(grid);
  if (r + most < radius) return 1.0;
  if (r - most > radius) return 0.0;
  double inside = 0.0;
  for_points(grid, zone, 8, [&](const double* point, double weight) {
    if (distance(grid, point) < radius) inside += weight;
  });
  return inside;
}

Primitive sedov(const Problem& problem, const Grid& grid, const Zone& zone) {
  const int dimensions = symmetry_of(grid);
  const double r = problem.radius;
  const double volume = dimensions == 1   ? 2.0 * r
                        : dimensions == 2 ? 0.5 * two_pi * r * r
                                          : two_pi * 2.0 / 3.0 * r * r * r;
  const double share = share_within(grid, zone, r);
  const double hot = (problem.gas.gamma - 1.0) * problem.energy / volume;
  return {.density = 1.0, .pressure = share * hot + (1.0 - share) * problem.ambient_pressure};
}

// Gas of density 1 that falls to the centre.
Primitive noh(const Problem& problem, const Grid& grid, const Zone& zone) {
  Primitive state{.density = 1.0, .pressure = problem.ambient_pressure};
  double vector[3] = {}, squares = 0.0;
  from_centre(grid, zone, vector);
  for (const double x : vector) squares += x * x;
  for (int axis = 0; axis < 3; ++axis) state.velocity[axis] = -vector[axis] / std::sqrt(squares);
  return state;
}

// Conserved means of a smooth state.
template <class At>
Primitive smooth_mean(const Problem& problem, const Grid& grid, const Zone& zone, At&& at) {
  double mass = 0.0, momentum[3] = {}, internal = 0.0, kinetic = 0.0;
  for_points(grid, zone, 4, [&](const double* point, double weight) {
    const Primitive state = at(point);
    mass += weight * state.density;
    internal += weight * state.pressure;
    for (int d = 0; d < 3; ++d) {
      momentum[d] += weight * state.density * state.velocity[d];
      kinetic += 0.5 * weight * state.density * state.velocity[d] * state.velocity[d];
    }
  });
  Primitive mean{.density = mass};
  double of_mean = 0.0;
  for (int d = 0; d < 3; ++d) {
    mean.velocity[d] = momentum[d] / mass;
    of_mean += 0.5 * momentum[d] * mean.velocity[d];
  }
  mean.pressure = internal + (problem.gas.gamma - 1.0) * (kinetic - of_mean);
  return mean;
}

// Two layers of smooth edges that slide along axis 1 with velocities ±1/2 and densities 2 and 1, at
// the pressure 2.5; the velocity across is perturbed (McNally, Lyra, Passy, Astrophys. J. Suppl.
// 201 (2012) 18).
Primitive kelvin_helmholtz(const Problem& problem, const Grid& grid, const double* point) {
  constexpr double edge = 0.025;
  const Axis &along = grid.axes[0], &over = grid.axes[1];
  const double x = (point[0] - along.low) / (along.high - along.low);
  const double y = (point[1] - over.low) / (over.high - over.low);
  // 0 in the outer layer, 1 in the inner one, 1/2 at their edges y = 1/4 and 3/4.
  const double depth = 0.25 - std::fabs(y - 0.5);
  const double inner =
      depth < 0.0 ? 0.5 * std::exp(depth / edge) : 1.0 - 0.5 * std::exp(-depth / edge);
  Primitive state{.density = 1.0 + inner, .pressure = 2.5};
  state.velocity[0] = 0.5 - inner;
  state.velocity[1] = problem.amplitude * std::sin(2.0 * two_pi * x);
  return state;
}

// A gas of density 2 over one of density 1, at rest in gravity along axis 2 but for a perturbation;
// the pressure is 2.5 in the middle (Stone et al., Astrophys. J. Suppl. 178 (2008) 137).
Primitive rayleigh_taylor(const Problem& problem, const Grid& grid, const double* point) {
  const Axis &along = grid.axes[0], &up = grid.axes[1];
  const double x = (point[0] - along.middle()) / (along.high - along.low);
  const double y = point[1] - up.middle(), height = up.high - up.low;
  // The heavy gas lies against the acceleration.
  const double g = problem.gravity.acceleration[1];
  Primitive state{.density = (g <= 0.0) == (y > 0.0) ? 2.0 : 1.0};
  state.pressure = 2.5 + state.density * g * y;
  state.velocity[1] = 0.25 * problem.amplitude * (1.0 + std::cos(two_pi * x)) *
                      (1.0 + std::cos(2.25 * two_pi * y / height));
  return state;
}

}  // namespace

std::optional<Case> case_of(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Case>(found - names.begin());
}

Primitive initial_state(const Problem& problem, const Grid& grid, const Zone& zone) {
  const auto smooth = [&](auto&& at) { return smooth_mean(problem, grid, zone, at); };
  switch (problem.kind) {
    case Case::blast_waves:
      return blast_waves(grid, zone.at[0]);
    case Case::sedov:
    case Case::evh1:
      return sedov(problem, grid, zone);
    case Case::noh:
      return noh(problem, grid, zone);
    case Case::acoustic_wave:
      return smooth([wave = SimpleWave(problem.gas.gamma, problem.amplitude, grid.axes[0])](
                        const double* point) { return wave.at(point[0], 0.0); });
    case Case::kelvin_helmholtz:
      return smooth([&](const double* point) { return kelvin_helmholtz(problem, grid, point); });
    case Case::rayleigh_taylor:
      return smooth([&](const double* point) { return rayleigh_taylor(problem, grid, point); });
    default:
      return two_states(problem, grid, zone.at[0]);
  }
}

}  // namespace phasewise::hydro
