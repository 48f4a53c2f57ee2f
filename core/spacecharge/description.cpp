#include "spacecharge/description.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "beam/build_lattice.hpp"
#include "numerics/order_free_sum.hpp"
#include "spacecharge/build_profile.hpp"

namespace phasewise::spacecharge {
namespace {

using workload::Parameters;

constexpr int fewest_nodes = 8, most_nodes = 4096, most_kicks = 100'000, most_tracked = 10'000'000;

std::array<int, 3> read_grid(const Parameters& parameters) {
  const std::vector<double> given = parameters.numbers("solver.grid", 3);
  std::array<int, 3> grid{};
  for (int axis = 0; axis < 3; ++axis) {
    if (!(given[axis] >= fewest_nodes && given[axis] <= most_nodes) ||
        given[axis] != std::floor(given[axis]))
      parameters.fail("solver.grid", "give three whole numbers from 8 to 4096");
    grid[axis] = static_cast<int>(given[axis]);
  }
  return grid;
}

std::array<double, 3> positive_triple(const Parameters& parameters, const std::string& key) {
  const std::vector<double> given = parameters.numbers(key, 3);
  for (const double value : given)
    if (!(value > 0.0)) parameters.fail(key, "numbers above 0 are accepted");
  return {given[0], given[1], given[2]};
}

// The stretch from one kick to the next. At the very end of the lattice all kicks come before the
// monitors.
Stretch stretch_of(const beam::Lattice& lattice, double from, double to, beam::Maps maps) {
  Stretch stretch;
  const std::vector<double>& places = lattice.monitors();
  double at = from;
  const auto append = [&](double end) {
    const bool done = at >= lattice.length();
    const auto elements = done ? std::vector<beam::Element>{} : lattice.between(at, end);
    stretch.lines.emplace_back(beam::joined(elements, maps));
    at = end;
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool here = places[i] >= from && (places[i] < to || to >= lattice.length());
    if (!here) continue;
    append(places[i]);
    stretch.monitors.push_back(static_cast<int>(i));
  }
  append(to);
  return stretch;
}

}  // namespace

Description::Description(const Parameters& parameters, int number, bool is_guest)
    : bunch(beam::read_bunch(parameters, number)), guest(is_guest) {
  seed = static_cast<std::uint64_t>(parameters.integer("seed"));
  if (bunch.charge == 0.0)
    parameters.fail("beam." + std::to_string(number) + ".charge",
                    "a bunch without charge has no field");
  const beam::Lattice lattice = beam::build_lattice(parameters, number);
  const beam::Maps maps = beam::read_maps(parameters);
  length = lattice.length();
  monitors = static_cast<int>(lattice.monitors().size());
  kicks = static_cast<int>(parameters.integer_within("solver.kicks", 0, most_kicks));
  if (kicks > 0 && !(length > 0.0))
    parameters.fail("lattice.count", "the lattice has no length to kick along");
  sort_every = static_cast<int>(parameters.integer_within("solver.sort_every", 0, most_kicks));
  if (parameters.has("solver.kind"))
    kind = static_cast<Kind>(parameters.choice("solver.kind", {"3d", "2.5d", "frozen"}));
  if (has_mesh()) read_mesh(parameters);
  if (parameters.has("solver.pipe_radius")) pipe_radius = parameters.positive("solver.pipe_radius");
  if (parameters.has("solver.sizes"))
    frozen.assign(static_cast<std::size_t>(kicks),
                  {.size = positive_triple(parameters, "solver.sizes")});
  if (parameters.has("solver.period")) period = parameters.positive("solver.period");
  if (period && has_mesh() && grid[2] % 2 != 0)
    parameters.fail("solver.grid", "a period needs an even number of planes along z");
  settings = read_settings(parameters);
  if (kind != Kind::box && settings.decomposition != Decomposition::slabs)
    parameters.fail("communication.decomposition", "pencils need solver.kind = 3d");
  if (parameters.has("records.tracked"))
    tracked = static_cast<int>(parameters.integer_within("records.tracked", 0, most_tracked));
  double from = 0.0;
  for (int k = 0; k <= kicks; ++k) {
    const double to = k < kicks ? length * (k + 0.5) / kicks : length;
    stretches.push_back(stretch_of(lattice, from, to, maps));
    from = to;
  }
  for (const Stretch& stretch : stretches)
    for (const beam::Line& line : stretch.lines) apertures += static_cast<int>(line.apertures());
  if (!guest) read_profile(parameters, lattice, *this);
}

std::vector<beam::Element> Description::elements() const {
  std::vector<beam::Element> result;
  for (const Stretch& stretch : stretches)
    for (const beam::Line& line : stretch.lines)
      result.insert(result.end(), line.elements().begin(), line.elements().end());
  return result;
}

void Description::read_mesh(const Parameters& parameters) {
  grid = read_grid(parameters);
  green = static_cast<field::BoxGreen>(
      parameters.choice("solver.green_function", {"integrated", "point"}));
  if (parameters.has("solver.weighting"))
    weighting = static_cast<Weighting>(parameters.choice("solver.weighting", {"cic", "tsc"}));
  if (parameters.choice("solver.mesh", {"follow", "fixed"}) == 1)
    half_width = positive_triple(parameters, "solver.mesh_half_width");
}

double Description::kick_factor() const {
  const double gamma = bunch.gamma(), beta = bunch.beta();
  return bunch.per_macroparticle() * bunch.charge * bunch.charge * bunch.classical_radius() *
         kick_length() / (beta * beta * gamma * gamma);
}

double Description::charge_quantum() const {
  return numerics::power_of_two_above(static_cast<double>(bunch.macroparticles)) * 0x1p-52;
}

}  // namespace phasewise::spacecharge
