#include "beam/build_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "beam/build_line.hpp"
#include "beam/element_keys.hpp"
#include "numerics/constants.hpp"

namespace phasewise::beam {
namespace {

using numerics::speed_of_light;
using numerics::two_pi;

constexpr std::int64_t most_elements = 100'000;
constexpr double most_steps = 1000.0;

using Keys = ElementKeys;

Reference reference_of(const Keys& keys) {
  const workload::Parameters& all = keys.all();
  const double energy = all.positive(keys.beam_key("energy"));
  const double mass = all.positive(keys.beam_key("mass"));
  if (!(energy > mass)) all.fail(keys.beam_key("energy"), "it must exceed the rest mass");
  return Reference::of(energy, mass);
}

double length_of(const Keys& keys) {
  const double length = keys.number("length");
  if (!(length >= 0.0)) keys.fail("length", "give metres, not below 0");
  return length;
}

// The number of slices of an element; it kicks in the middle of each slice.
int steps_of(const Keys& keys, double fallback) {
  const double steps = keys.number_or("steps", fallback);
  if (!(steps >= 1.0 && steps <= most_steps) || steps != std::floor(steps))
    keys.fail("steps", "1 to 1000 are accepted");
  return static_cast<int>(steps);
}

void append_kicks(LatticeElement& to, int steps, const Element& kick) {
  for (int i = 0; i < steps; ++i) to.kicks.push_back({to.length * (i + 0.5) / steps, kick});
}

LatticeElement without_length(const Element& kick) { return {.kicks = {{0.0, kick}}}; }

LatticeElement drift(const Keys& keys) {
  const double length = length_of(keys);
  return {.length = length, .body = Drift{reference_of(keys), length}};
}

// Reads `normal`: k0 L, k1 L, … [m^-n], and `skew`, likewise.
Multipole multipole_of(const Keys& keys, double factor) {
  Multipole result;
  for (const auto& [name, strengths] :
       {std::pair{"normal", &result.normal}, std::pair{"skew", &result.skew}}) {
    if (!keys.has(name)) continue;
    const std::vector<double> given = keys.all().list(keys.key(name));
    if (given.size() > static_cast<std::size_t>(Multipole::orders))
      keys.fail(name, "at most 6 orders, up to the dodecapole, are accepted");
    for (std::size_t n = 0; n < given.size(); ++n) (*strengths)[n] = factor * given[n];
  }
  return result;
}

// Reads k1 and, as kicks, the strengths k_n [m^-(n+1)] that `normal` and `skew` list from n = 0 on.
LatticeElement magnet(const Keys& keys) {
  const double length = length_of(keys);
  LatticeElement result{.length = length};
  result.body = Quadrupole{reference_of(keys), length, keys.number_or("k1", 0.0)};
  if (!keys.has("normal") && !keys.has("skew")) return result;
  const int steps = steps_of(keys, 4);
  append_kicks(result, steps, multipole_of(keys, length / steps));
  return result;
}

LatticeElement multipole(const Keys& keys) { return without_length(multipole_of(keys, 1.0)); }

// `length` is along the reference orbit; `edges` are the angles of the pole faces, relative to
// those of a sector magnet, and `edge_order` the order of their maps: 0 where the magnet is cut.
LatticeElement bend(const Keys& keys) {
  const double length = keys.positive("length"), angle = keys.number("angle");
  const double curvature = angle / length;
  const Reference reference = reference_of(keys);
  LatticeElement result{.length = length};
  const double k1 = keys.number_or("k1", 0.0);
  if (angle == 0.0) {
    if (k1 == 0.0)
      result.body = Drift{reference, length};
    else
      result.body = Quadrupole{reference, length, k1};
    return result;
  }
  if (k1 == 0.0)
    result.body = SectorBend::of(reference, length, curvature);
  else
    result.body = CombinedBend{reference, length, curvature, k1};
  const std::vector<double> edges = keys.numbers_or_zero("edges", 2);
  for (const double edge : edges)
    if (!(std::fabs(edge) < 0.25 * two_pi)) keys.fail("edges", "give angles within ±π/2");
  const std::vector<double> orders = keys.numbers_or("edge_order", {2.0, 2.0});
  const auto add_edge = [&](int side) {
    const DipoleEdge::Shape shape{.curvature = curvature,
                                  .angle = edges[side],
                                  .half_gap = keys.number_or("half_gap", 0.0),
                                  .integral = keys.number_or("fringe", 0.0),
                                  .k1 = k1};
    if (orders[side] >= 1.0)
      result.kicks.push_back({side == 0 ? 0.0 : length,
                              DipoleEdge::of(shape, side == 0, static_cast<int>(orders[side]))});
  };
  add_edge(0);
  if (k1 != 0.0) {
    const int steps = steps_of(keys, 4);
    append_kicks(result, steps, CombinedBendRest{length / steps, curvature, k1});
  }
  add_edge(1);
  return result;
}

// `strength` is q Bs/P0 [1/m].
LatticeElement solenoid(const Keys& keys) {
  const double length = length_of(keys);
  return {.length = length,
          .body = Solenoid{reference_of(keys), length, 0.5 * keys.number("strength")}};
}

// `focusing` is κx, κy and κz [m⁻²].
LatticeElement constant_focusing(const Keys& keys) {
  const double length = length_of(keys);
  const std::vector<double> given = keys.numbers("focusing", 3);
  for (const double kappa : given)
    if (!(kappa >= 0.0)) keys.fail("focusing", "numbers not below 0 are accepted");
  return {.length = length,
          .body = ConstantFocusing::of(reference_of(keys), length, {given[0], given[1], given[2]})};
}

// Makes an RF gap in the middle of a drift.
LatticeElement cavity(const Keys& keys) {
  const Reference reference = reference_of(keys);
  const double length = keys.number_or("length", 0.0);
  const double charge = keys.all().number(keys.beam_key("charge"));
  const double energy = keys.all().positive(keys.beam_key("energy"));
  RfGap gap{.reference = reference,
            .kick = std::fabs(charge) * keys.number("voltage") / (reference.beta2 * energy),
            .phase = keys.number_or("phase", 0.0),
            .wave_number = keys.positive("frequency") / (reference.beta() * speed_of_light)};
  // Computed as in `push`, so that the reference particle's kick is exactly zero.
  double cosine = 0.0;
  numerics::sincos_turns(gap.phase, gap.reference_sine, cosine);
  return {.length = length, .body = Drift{reference, length}, .kicks = {{0.5 * length, gap}}};
}

LatticeElement monitor(const Keys& /*keys*/) { return {.monitor = true}; }
LatticeElement marker(const Keys& /*keys*/) { return {}; }
LatticeElement other(const Keys& keys) { return without_length(build_element(keys)); }

using LatticeBuilder = LatticeElement (*)(const Keys&);

const std::vector<std::pair<std::string, LatticeBuilder>>& lattice_builders() {
  static const std::vector<std::pair<std::string, LatticeBuilder>> all = {
      {"drift", drift},
      {"magnet", magnet},
      {"bend", bend},
      {"solenoid", solenoid},
      {"cavity", cavity},
      {"multipole", multipole},
      {"constant-focusing", constant_focusing},
      {"aperture", other},
      {"matrix", other},
      {"second-order", other},
      {"marker", marker},
      {"monitor", monitor}};
  return all;
}

}  // namespace

Lattice build_lattice(const workload::Parameters& parameters, int beam) {
  const std::int64_t count = parameters.integer("lattice.count");
  if (count < 1 || count > most_elements)
    parameters.fail("lattice.count", "1 to 100000 elements are accepted");
  std::vector<std::string> names;
  for (const auto& [name, builder] : lattice_builders()) names.push_back(name);
  std::vector<LatticeElement> elements;
  for (std::int64_t k = 1; k <= count; ++k) {
    const Keys keys(parameters, std::string("lattice.").append(std::to_string(k)).append("."),
                    beam);
    elements.push_back(lattice_builders()[keys.choice("element", names)].second(keys));
  }
  return Lattice(std::move(elements));
}

Maps read_maps(const workload::Parameters& parameters) {
  return static_cast<Maps>(parameters.choice("lattice.maps", {"exact", "linear", "second-order"}));
}

}  // namespace phasewise::beam
