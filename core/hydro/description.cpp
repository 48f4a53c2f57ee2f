#include "hydro/description.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "hydro/exact.hpp"
#include "workload/protocols.hpp"

namespace phasewise::hydro {
namespace {

using workload::Parameters;

constexpr int most_zones = 1 << 20;  // along an axis
constexpr int most_axes = 3;
const std::vector<std::string> boundary_names = {"reflecting", "outflow", "periodic", "inflow"};
const std::vector<std::string> coordinate_names = {"cartesian", "cylindrical", "spherical",
                                                   "axisymmetric"};

std::vector<Geometry> geometries(std::size_t coordinates) {
  switch (coordinates) {
    case 1:
      return {Geometry::cylindrical_radius, Geometry::cylindrical_angle, Geometry::planar};
    case 2:
      return {Geometry::spherical_radius, Geometry::polar_angle, Geometry::azimuth};
    case 3:
      return {Geometry::cylindrical_radius, Geometry::planar};
    default:
      return {Geometry::planar, Geometry::planar, Geometry::planar};
  }
}

int whole(const Parameters& parameters, const std::string& key, double value, int least, int most) {
  if (!(value >= least && value <= most) || value != std::floor(value))
    parameters.fail(
        key, "give whole numbers from " + std::to_string(least) + " to " + std::to_string(most));
  return static_cast<int>(value);
}

Boundary boundary_of(const Parameters& parameters, const std::string& word) {
  const auto found = std::ranges::find(boundary_names, word);
  if (found == boundary_names.end())
    parameters.fail("hydro.boundaries", "accepted are reflecting, outflow, periodic, inflow");
  return static_cast<Boundary>(found - boundary_names.begin());
}

Grid read_grid(const Parameters& parameters) {
  const std::vector<double> zones = parameters.list("hydro.zones");
  const std::size_t axes = zones.size();
  const std::vector<Geometry> geometry =
      geometries(parameters.choice("hydro.coordinates", coordinate_names));
  if (axes > std::min<std::size_t>(geometry.size(), most_axes))
    parameters.fail("hydro.zones",
                    "these coordinates have at most " + std::to_string(geometry.size()) + " axes");
  const std::vector<double> low = parameters.numbers("hydro.low", axes);
  const std::vector<double> high = parameters.numbers("hydro.high", axes);
  const std::vector<std::string> words = parameters.words("hydro.boundaries");
  if (words.size() != 2 * axes)
    parameters.fail("hydro.boundaries", "give two words for each axis, at its low and high bound");
  Grid grid;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (!(low[axis] < high[axis]))
      parameters.fail("hydro.high", "an axis ends above its hydro.low");
    grid.axes.push_back({.geometry = geometry[axis],
                         .zones = whole(parameters, "hydro.zones", zones[axis], 4, most_zones),
                         .low = low[axis],
                         .high = high[axis],
                         .at_low = boundary_of(parameters, words[2 * axis]),
                         .at_high = boundary_of(parameters, words[2 * axis + 1])});
  }
  return grid;
}

Gravity read_gravity(const Parameters& parameters) {
  Gravity gravity;
  const std::size_t kind = parameters.choice("hydro.gravity", {"none", "uniform", "point-mass"});
  const std::vector<double> acceleration = parameters.numbers("hydro.acceleration", 3);
  const double point_mass = parameters.number("hydro.point_mass");
  if (kind == 1) std::ranges::copy(acceleration, gravity.acceleration);
  if (kind == 2) gravity.point_mass = point_mass;
  return gravity;
}

Problem read_problem(const Parameters& parameters) {
  Problem problem;
  const std::string name = parameters.word("hydro.problem");
  const std::optional<Case> found = case_of(name);
  if (!found) parameters.fail("hydro.problem", "there is no such problem");
  problem.kind = *found;
  problem.gas = {.gamma = parameters.number("hydro.gamma"),
                 .density_floor = parameters.positive("hydro.density_floor"),
                 .pressure_floor = parameters.positive("hydro.pressure_floor")};
  if (!(problem.gas.gamma > 1.0)) parameters.fail("hydro.gamma", "give a number above 1");
  problem.gravity = read_gravity(parameters);
  problem.energy = parameters.positive("hydro.energy");
  problem.radius = parameters.positive("hydro.radius");
  problem.amplitude = parameters.number("hydro.amplitude");
  problem.ambient_pressure = parameters.positive("hydro.ambient_pressure");
  return problem;
}

Primitive read_inflow(const Parameters& parameters) {
  const std::vector<double> given = parameters.numbers("hydro.inflow", 5);
  if (!(given[0] > 0.0 && given[1] > 0.0))
    parameters.fail("hydro.inflow", "gas that enters has a density and a pressure above 0");
  return {.density = given[0], .pressure = given[1], .velocity = {given[2], given[3], given[4]}};
}

}  // namespace

Manner read_manner(const Parameters& parameters) {
  Manner result;
  result.decomposition = static_cast<Decomposition>(
      parameters.choice("communication.decomposition", {"slabs", "pencils"}));
  if (parameters.has("communication.process_grid")) {
    const std::vector<double> given = parameters.numbers("communication.process_grid", 2);
    for (int side = 0; side < 2; ++side)
      result.process_grid[side] =
          whole(parameters, "communication.process_grid", given[side], 0, most_zones);
    if ((given[0] == 0.0) != (given[1] == 0.0))
      parameters.fail("communication.process_grid", "give two numbers above zero, or two zeros");
  }
  result.transpose = static_cast<exchange::Transpose>(
      parameters.choice("communication.transpose", {"pairwise", "ring", "bruck", "alltoallw"}));
  result.overlap = parameters.integer("communication.overlap") != 0;
  result.protocol = workload::protocol_in(parameters);
  result.batch =
      static_cast<int>(parameters.integer_within("communication.batch", 1, most_pencils));
  // In the order of the study's words, which is not that of the enumeration.
  result.kernel = parameters.choice("communication.kernel", {"fast", "plain"}) == 0 ? Kernel::fast
                                                                                    : Kernel::plain;
  result.sums = static_cast<exchange::SumAlgorithm>(
      parameters.choice("communication.global_sum", exchange::sum_algorithms()));
  return result;
}

Description::Description(const Parameters& parameters)
    : grid(read_grid(parameters)),
      problem(read_problem(parameters)),
      until(parameters.not_negative("hydro.until")),
      courant(parameters.positive("hydro.courant")),
      riemann(static_cast<Riemann>(parameters.choice("hydro.riemann", {"newton-8", "converged"}))),
      alternates(parameters.choice("hydro.order", {"strang", "xyz"}) == 0 && grid.dimensions() > 1),
      inflow(read_inflow(parameters)),
      timesteps(parameters.integer("turns")),
      solution(Solution::of(problem, grid)),
      manner(read_manner(parameters)) {
  if (courant > 1.0) parameters.fail("hydro.courant", "give a number of at most 1");
  if (manner.decomposition == Decomposition::pencils && grid.dimensions() < 3)
    parameters.fail("communication.decomposition", "pencils need a grid of three axes");
  if (parameters.has("hydro.norms_every"))
    norms_every = parameters.integer_within("hydro.norms_every", 0, std::int64_t{1} << 40);
}

SweepSetting Description::sweep_setting() const {
  return {.gas = problem.gas,
          .grid = grid,
          .riemann = riemann,
          .kernel = manner.kernel,
          .batch = manner.batch,
          .gravity = problem.gravity,
          .inflow = inflow};
}

}  // namespace phasewise::hydro
