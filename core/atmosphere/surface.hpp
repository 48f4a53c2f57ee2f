// Clouds and rain, the large-scale flow, and the surface: a slab of water or wet soil with bulk
// fluxes of heat and vapour.
//
// The flow restores the temperatures of Held and Suarez (Bull. Amer. Meteor. Soc. 75 (1994) 1825)
// and the relative humidity of Manabe and Wetherald (J. Atmos. Sci. 24 (1967) 241), slowly. What it
// brings is counted, so that a column's budget closes.
#pragma once

#include <vector>

#include "atmosphere/adjustment.hpp"
#include "atmosphere/constants.hpp"
#include "atmosphere/values.hpp"
#include "atmosphere/vertical.hpp"

namespace phasewise::atmosphere {

struct SurfaceTerms {
  SurfaceTerms(const Vertical& vertical, double timestep);

  double timestep;
  double rained;                 // share of cloud water
  double restored, moistened;    // shares of the difference to the reference climate
  double exchanged;              // share of the difference between surface and lowest layer
  std::vector<double> humidity;  // relative, of the reference climate
};

// Temperature of the reference climate; σ^κ and ln σ are those of a level.
template <class V>
PHASEWISE_HD V reference_temperature(V sine_squared, double sigma_kappa, double log_sigma) {
  const V warm = 315.0 - 60.0 * sine_squared;
  const V stable = (10.0 * log_sigma) * (1.0 - sine_squared);
  return larger((warm - stable) * sigma_kappa, all_of<V>(200.0));
}

// Moist enthalpy of air and surface [J/m²].
template <class V>
PHASEWISE_HD V moist_enthalpy(const Vertical& vertical, const StateRows<V>& rows, V surface) {
  V sum{};
  for (int k = 0; k < vertical.levels; ++k)
    sum += fused(rows.vapour[k], latent_heat, heat_capacity_air * rows.temperature[k]);
  return fused(surface, slab_capacity, vertical.mass * sum);
}

// What leaves the air as rain and what the flow brings to it in a timestep [kg/m²], [J/m²].
template <class V>
struct AirChange {
  V rain, forcing;
};

// Condenses and evaporates cloud water, lets it rain, and restores.
template <class V>
PHASEWISE_HD AirChange<V> change_air(const Vertical& vertical, const SurfaceTerms& terms,
                                     V sine_squared, const StateRows<V>& rows) {
  V rain{}, forcing{};
  for (int k = 0; k < vertical.levels; ++k) {
    V temperature = rows.temperature[k], vapour = rows.vapour[k], cloud = rows.cloud[k];
    const auto [humidity, slope] = saturation<V>(temperature, vertical.inverse_pressure[k]);
    const V condensed = larger((vapour - humidity) / (1.0 + slope), -cloud);
    temperature = fused(condensed, latent_heat / heat_capacity_air, temperature);
    vapour -= condensed;
    cloud += condensed;
    const V fallen = terms.rained * cloud;
    rain += fallen;
    const V reference =
        reference_temperature<V>(sine_squared, vertical.sigma_kappa[k], vertical.log_sigma[k]);
    const V warmed = terms.restored * (reference - temperature);
    const V moistened = terms.moistened * (terms.humidity[k] * humidity - vapour);
    forcing += fused(moistened, latent_heat, heat_capacity_air * warmed);
    rows.temperature[k] = temperature + warmed;
    rows.vapour[k] = vapour + moistened;
    rows.cloud[k] = cloud - fallen;
  }
  return {vertical.mass * rain, vertical.mass * forcing};
}

// What goes from the surface to the lowest layer in a timestep.
template <class V>
struct SurfaceFlux {
  V vapour, heat;  // [kg/m²], [J/m²]
};

template <class V>
PHASEWISE_HD SurfaceFlux<V> exchange_with_air(const Vertical& vertical, const SurfaceTerms& terms,
                                              V surface, const StateRows<V>& rows) {
  const int low = vertical.levels - 1;
  const V wet = saturation<V>(surface, 1.0 / surface_pressure).humidity;
  const V warmed =
      terms.exchanged * (surface - (1.0 / vertical.sigma_kappa[low]) * rows.temperature[low]);
  const V moistened = (wetness * terms.exchanged) * (wet - rows.vapour[low]);
  rows.temperature[low] += warmed;
  rows.vapour[low] += moistened;
  return {vertical.mass * moistened, (vertical.mass * heat_capacity_air) * warmed};
}

// 1 where all numbers are in their range, else 0.
template <class V>
PHASEWISE_HD V in_range(int levels, const StateRows<V>& rows, V surface) {
  const V one = all_of<V>(1.0), low = all_of<V>(coldest), high = all_of<V>(hottest);
  V good = (surface >= low) & (surface <= high) ? one : V{};
  for (int k = 0; k < levels; ++k) {
    const V t = rows.temperature[k], q = rows.vapour[k];
    const auto fine = (t >= low) & (t <= high) & (q >= V{}) & (q <= all_of<V>(most_vapour));
    good = fine ? good : V{};
  }
  return good;
}

}  // namespace phasewise::atmosphere
