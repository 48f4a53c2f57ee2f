// Long wave radiation: two streams in grey bands, through layers that are isothermal and do not
// scatter. With diffusivity D = 3/2, optical thickness τ of a layer and t = e^(-Dτ),
//   F↓ below = t F↓ above + (1 - t) w σT⁴,  F↑ above = t F↑ below + (1 - t) w σT⁴,
// w the band's share. The surface is black.
#pragma once

#include <span>

#include "atmosphere/bands.hpp"
#include "atmosphere/constants.hpp"
#include "atmosphere/values.hpp"

namespace phasewise::atmosphere {

inline constexpr double diffusivity = 1.5;

// The coefficients of a band times diffusivity and a layer's mass.
inline LongWaveBand of_layer(const LongWaveBand& band, double mass) {
  const double scale = diffusivity * mass;
  return {band.share, scale * band.vapour, scale * band.gas, scale * band.cloud};
}

template <class V>
PHASEWISE_HD V black_body(V temperature) {
  const V square = temperature * temperature;
  return stefan_boltzmann * (square * square);
}

template <class V>
struct LongWaveRows {
  const V *temperature, *vapour, *cloud;
  V* emission;               // of each level
  V *transmission, *source;  // of each level in a band
  V* net;                    // upward minus downward flux, above each level and at the surface
  V* down;                   // downward flux there, or null
};

// Fluxes [W/m²] of all bands.
template <bool with_down, class V>
void long_wave_fluxes(std::span<const LongWaveBand> bands, int levels, V surface_temperature,
                      const LongWaveRows<V>& rows) {
  for (int k = 0; k < levels; ++k) {
    rows.emission[k] = black_body(rows.temperature[k]);
    rows.net[k] = V{};
    if constexpr (with_down) rows.down[k] = V{};
  }
  rows.net[levels] = V{};
  if constexpr (with_down) rows.down[levels] = V{};
  const V surface = black_body(surface_temperature);
  for (const LongWaveBand& band : bands) {
    V down{};
    for (int k = 0; k < levels; ++k) {
      const V of_cloud = fused(rows.cloud[k], band.cloud, all_of<V>(band.gas));
      const V absorption = absorbed<V>(fused(rows.vapour[k], band.vapour, of_cloud));
      const V transmission = 1.0 - absorption;
      const V source = (band.share * absorption) * rows.emission[k];
      rows.transmission[k] = transmission;
      rows.source[k] = source;
      rows.net[k] -= down;
      if constexpr (with_down) rows.down[k] += down;
      down = fused(down, transmission, source);
    }
    if constexpr (with_down) rows.down[levels] += down;
    V up = band.share * surface;
    rows.net[levels] += up - down;
    for (int k = levels - 1; k >= 0; --k) {
      up = fused(up, rows.transmission[k], rows.source[k]);
      rows.net[k] += up;
    }
  }
}

}  // namespace phasewise::atmosphere
