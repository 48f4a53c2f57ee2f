// What a column holds in memory: its state, and behind it the results of its last timestep. Level 0
// is the top, and the levels have equal masses.
#pragma once

#include <array>
#include <string_view>

namespace phasewise::atmosphere {

namespace result {
// The results of a timestep; fluxes are means over it.
enum : int {
  absorbed,         // short wave, by atmosphere and surface [W/m²]
  outgoing,         // long wave at the top [W/m²]
  surface_short,    // absorbed by the surface [W/m²]
  surface_long,     // net loss of the surface [W/m²]
  precipitation,    // [kg/m²]
  evaporation,      // [kg/m²]
  sensible,         // heat from the surface to the air [W/m²]
  forcing,          // moist enthalpy brought by the large-scale flow [W/m²]
  energy_residual,  // change of moist enthalpy that no flux explains [W/m²]
  sweeps,           // of the adjustment
  count
};
inline constexpr std::array<std::string_view, count> names{
    "absorbed",    "outgoing", "surface_short", "surface_long",    "precipitation",
    "evaporation", "sensible", "forcing",       "energy_residual", "sweeps"};
}  // namespace result

// The places of a column's doubles.
struct ColumnLayout {
  int levels;

  int temperature() const { return 0; }                   // K
  int vapour() const { return levels; }                   // kg of vapour in 1 kg of air
  int cloud() const { return 2 * levels; }                // kg of liquid in 1 kg of air
  int surface_temperature() const { return 3 * levels; }  // K
  int values() const { return 3 * levels + 1; }
  int results() const { return values(); }  // the first result
  int size() const { return values() + result::count; }
};

}  // namespace phasewise::atmosphere
