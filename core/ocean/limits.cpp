#include "ocean/limits.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "numerics/constants.hpp"
#include "ocean/initial.hpp"
#include "ocean/momentum.hpp"
#include "ocean/solver/influence.hpp"

namespace phasewise::ocean {
namespace {

// The shortest sides of cells [m].
struct Shortest {
  double dx, dy;
};
Shortest shortest_of(const Grid& grid) {
  Shortest found{grid.row(0).dx_cell, grid.row(0).dy};
  for (int j = 0; j < grid.ny(); ++j)
    found.dx = std::min({found.dx, grid.row(j).dx_cell, grid.row(j).dx_corner});
  return found;
}

// Of the first internal mode: ∫ N dz/π, with N² = g ∂(α T - β S)/∂z [m/s].
double internal_wave_speed(const Grid& grid) {
  double speed = 0.0;
  for (int k = 0; k + 1 < grid.nz(); ++k) {
    const double above = grid.depth(k) + 0.5 * grid.thickness(k);
    const double below = grid.depth(k + 1) + 0.5 * grid.thickness(k + 1);
    const Water over = stratified_water(above, 1.0), under = stratified_water(below, 1.0);
    const double lighter = thermal_expansion * (over.temperature - under.temperature) -
                           haline_contraction * (over.salinity - under.salinity);
    speed += std::sqrt(std::max(0.0, gravity * lighter * (below - above)));
  }
  return speed / (0.5 * numerics::two_pi);
}

// ω Δt up to which internal waves do not grow: from the eigenvalues of the scheme for one wave,
// which has density in the middle of the timestep extrapolated, and carries it with θ u(n+1) +
// (1-θ) u(n). With θ = 1/2 they grow by less than a thousandth a timestep.
double most_internal_phase(double implicitness) {
  return std::min(0.29 + 3.8 * (implicitness - 0.5), 1.4);
}

double limit_of_mixing(double coefficient, const Shortest& sides) {
  if (coefficient == 0.0) return std::numeric_limits<double>::infinity();
  return 0.25 / (coefficient * (1.0 / (sides.dx * sides.dx) + 1.0 / (sides.dy * sides.dy)));
}

}  // namespace

std::vector<std::pair<std::string, double>> timestep_limits(const Description& description,
                                                            const Grid& grid) {
  const Shortest sides = shortest_of(grid);
  const Terms& terms = description.terms;
  double internal = std::numeric_limits<double>::infinity();
  if (description.baroclinic && description.initial.initial == Initial::stratified && grid.nz() > 1)
    internal = most_internal_phase(terms.implicitness) * std::min(sides.dx, sides.dy) /
               (2.0 * internal_wave_speed(grid));
  return {{"viscosity", limit_of_mixing(terms.viscosity, sides)},
          {"diffusivity", description.baroclinic ? limit_of_mixing(terms.diffusivity, sides)
                                                 : std::numeric_limits<double>::infinity()},
          {"internal waves", internal}};
}

void check_timestep(const Description& description, const Grid& grid) {
  for (const auto& [name, limit] : timestep_limits(description, grid)) {
    if (!(description.terms.timestep > limit)) continue;
    char text[160];
    std::snprintf(text, sizeof text,
                  "ocean.timestep = %g s is unstable because of %s: give at most %.4g s",
                  description.terms.timestep, name.c_str(), limit);
    throw std::invalid_argument(text);
  }
}

void check_evp_block(const Description& description) {
  if (description.solver.preconditioner != Preconditioner::evp) return;
  const std::array<int, 2>& asked = description.manner.layout.tile;
  check_marches("ocean.evp_block", asked,
                {widest_tile(tile_cuts(description.grid.nx, asked[0])),
                 widest_tile(tile_cuts(description.grid.ny, asked[1]))});
}

}  // namespace phasewise::ocean
