#include "ocean/description.hpp"

#include <cmath>
#include <string>

#include "ocean/phases.hpp"
#include "workload/protocols.hpp"

namespace phasewise::ocean {
namespace {

using workload::Parameters;

constexpr int most_cells = 1 << 17;  // along an axis
constexpr int most_levels = 1000;
constexpr std::int64_t most_iterations = 1'000'000;

int whole(const Parameters& parameters, const std::string& key, double value, int least, int most) {
  if (!(value >= least && value <= most) || value != std::floor(value))
    parameters.fail(
        key, "give whole numbers from " + std::to_string(least) + " to " + std::to_string(most));
  return static_cast<int>(value);
}

GridSetting read_grid(const Parameters& parameters) {
  GridSetting grid;
  const std::vector<double> cells = parameters.numbers("ocean.grid", 3);
  grid.nx = whole(parameters, "ocean.grid", cells[0], 4, most_cells);
  grid.ny = whole(parameters, "ocean.grid", cells[1], 4, most_cells);
  grid.nz = whole(parameters, "ocean.grid", cells[2], 1, most_levels);
  grid.geometry = static_cast<Geometry>(parameters.choice("ocean.geometry", {"sphere", "plane"}));
  grid.periodic = static_cast<Periodic>(parameters.choice("ocean.periodic", {"x", "xy", "none"}));
  const std::vector<double> latitudes = parameters.numbers("ocean.latitudes", 2);
  const std::vector<double> extent = parameters.numbers("ocean.extent", 2);
  const double coriolis = parameters.number("ocean.coriolis");
  const double beta = parameters.number("ocean.beta");
  if (grid.geometry == Geometry::sphere) {
    if (!(latitudes[0] >= -89.0 && latitudes[0] < latitudes[1] && latitudes[1] <= 89.0))
      parameters.fail("ocean.latitudes", "give south and north, from -89 to 89 degrees");
    if (grid.periodic == Periodic::xy)
      parameters.fail("ocean.periodic", "a sphere has walls in the south and north: give x");
    grid.latitudes = {latitudes[0], latitudes[1]};
  } else {
    if (!(extent[0] > 0.0 && extent[1] > 0.0))
      parameters.fail("ocean.extent", "give two lengths above zero");
    if (grid.periodic == Periodic::xy && beta != 0.0)
      parameters.fail("ocean.beta", "a plane that is periodic along y has beta = 0");
    grid.extent = {extent[0], extent[1]};
    grid.coriolis = coriolis;
    grid.beta = beta;
  }
  grid.thickness = parameters.numbers("ocean.thicknesses", static_cast<std::size_t>(grid.nz));
  for (const double thickness : grid.thickness)
    if (!(thickness > 0.0)) parameters.fail("ocean.thicknesses", "give thicknesses above zero");
  return grid;
}

MaskSetting read_mask(const Parameters& parameters) {
  MaskSetting mask;
  mask.mask =
      static_cast<MaskSource>(parameters.choice("ocean.mask", {"continents", "none", "file"}));
  mask.seed = static_cast<std::uint64_t>(parameters.integer("seed"));
  mask.sea = parameters.positive("ocean.sea");
  if (mask.sea > 1.0) parameters.fail("ocean.sea", "give a share of at most 1");
  if (mask.mask == MaskSource::file) mask.runs = parameters.list("ocean.sea_levels");
  return mask;
}

Terms read_terms(const Parameters& parameters) {
  Terms terms;
  terms.timestep = parameters.positive("ocean.timestep");
  terms.implicitness = parameters.number("ocean.implicitness");
  if (!(terms.implicitness >= 0.5 && terms.implicitness <= 1.0))
    parameters.fail("ocean.implicitness", "give a number from 0.5 to 1");
  terms.advection =
      static_cast<Advection>(parameters.choice("ocean.advection", {"upwind", "centred"}));
  terms.viscosity = parameters.not_negative("ocean.viscosity");
  terms.diffusivity = parameters.not_negative("ocean.diffusivity");
  terms.vertical_viscosity = parameters.not_negative("ocean.vertical_viscosity");
  terms.vertical_diffusivity = parameters.not_negative("ocean.vertical_diffusivity");
  terms.drag = parameters.not_negative("ocean.drag");
  terms.wind = parameters.number("ocean.wind");
  terms.wind_profile =
      static_cast<WindProfile>(parameters.choice("ocean.wind_profile", {"gyre", "trades", "none"}));
  return terms;
}

InitialSetting read_initial(const Parameters& parameters) {
  InitialSetting initial;
  initial.initial = static_cast<Initial>(
      parameters.choice("ocean.initial", {"stratified", "rest", "wave", "file"}));
  const std::vector<double> waves = parameters.numbers("ocean.wave_numbers", 2);
  for (int axis = 0; axis < 2; ++axis)
    initial.wave_numbers[axis] =
        whole(parameters, "ocean.wave_numbers", waves[axis], 0, most_cells);
  initial.wave_height = parameters.number("ocean.wave_height");
  return initial;
}

SolverSetting read_solver(const Parameters& parameters) {
  SolverSetting solver;
  solver.method = static_cast<Method>(
      parameters.choice("ocean.solver", {"pcg", "chrongear", "pipelined", "pcsi"}));
  solver.preconditioner = static_cast<Preconditioner>(
      parameters.choice("ocean.preconditioner", {"none", "diagonal", "evp"}));
  solver.tolerance = parameters.not_negative("ocean.tolerance");
  solver.most_iterations =
      static_cast<int>(parameters.integer_within("ocean.most_iterations", 1, most_iterations));
  solver.iterations =
      static_cast<int>(parameters.integer_within("ocean.iterations", 0, most_iterations));
  solver.check_every =
      static_cast<int>(parameters.integer_within("ocean.check_every", 1, most_iterations));
  if (solver.iterations == 0 && solver.tolerance == 0.0)
    parameters.fail("ocean.tolerance", "give a tolerance above 0, or a number of iterations");
  return solver;
}

LayoutSetting read_layout(const Parameters& parameters) {
  LayoutSetting layout;
  const auto pair = [&](const std::string& key) {
    std::array<int, 2> found{0, 0};
    if (!parameters.has(key)) return found;
    const std::vector<double> given = parameters.numbers(key, 2);
    for (int axis = 0; axis < 2; ++axis)
      found[axis] = whole(parameters, key, given[axis], 0, most_cells);
    if ((found[0] == 0) != (found[1] == 0))
      parameters.fail(key, "give two numbers above zero, or two zeros");
    return found;
  };
  layout.process_grid = pair("communication.process_grid");
  layout.blocks = pair("communication.blocks");
  if (parameters.has("communication.distribution"))
    layout.distribution = static_cast<Distribution>(
        parameters.choice("communication.distribution", {"cartesian", "balanced", "curve"}));
  return layout;
}

}  // namespace

Manner read_manner(const Parameters& parameters) {
  Manner manner;
  manner.layout = read_layout(parameters);
  manner.kernel = static_cast<Kernel>(parameters.choice("communication.kernel", {"fast", "plain"}));
  manner.aggregate = parameters.integer("communication.aggregate") != 0;
  manner.boundary = workload::protocol_in(parameters, "communication.boundary");
  manner.solver_halo = workload::protocol_in(parameters, "communication.solver_halo");
  manner.solver_sum = static_cast<exchange::SumAlgorithm>(
      parameters.choice("communication.solver_sum", exchange::sum_algorithms()));
  manner.solver_sum_protocol =
      workload::sum_protocol_in(parameters, "communication.solver_sum_protocol");
  manner.iterations_per_exchange =
      static_cast<int>(parameters.integer_within("communication.iterations_per_exchange", 1, 2));
  return manner;
}

SolverSetting Description::solver_setting(const Manner& of_ranks) const {
  SolverSetting setting = solver;
  setting.halo = of_ranks.solver_halo;
  setting.sum = of_ranks.solver_sum;
  setting.sum_protocol = of_ranks.solver_sum_protocol;
  setting.iterations_per_exchange = of_ranks.iterations_per_exchange;
  setting.halo_phase = phases::solver_halo;
  setting.sum_phase = phases::solver_sum;
  return setting;
}

Description::Description(const Parameters& parameters)
    : grid(read_grid(parameters)),
      mask(read_mask(parameters)),
      terms(read_terms(parameters)),
      initial(read_initial(parameters)),
      baroclinic(parameters.integer("ocean.baroclinic") != 0),
      solver(read_solver(parameters)),
      expected_iterations(parameters.positive("ocean.expected_iterations")),
      timesteps(parameters.integer("turns")),
      manner(read_manner(parameters)) {
  const std::vector<double> tile = parameters.numbers("ocean.evp_block", 2);
  if (solver.preconditioner != Preconditioner::evp) return;
  for (int axis = 0; axis < 2; ++axis)
    manner.layout.tile[axis] = whole(parameters, "ocean.evp_block", tile[axis], 2, most_cells);
}

}  // namespace phasewise::ocean
