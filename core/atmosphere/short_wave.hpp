// Short wave radiation: delta-Eddington layers, added from the surface up (Briegleb, J. Geophys.
// Res. 97 (1992) 7603). Seen from above a layer's top, all that lies below reflects diffuse light
// by A and the beam by U:
//   A = R + T² A'/(1 - R A'),  U = R* + T (t U' + A' T*)/(1 - R A'),
// with those below the layer primed, its diffuse R and T, those of the beam R* and T*, and the
// share t of the beam that passes. Diffuse light then goes down as
//   F↓' = (T F↓ + (T* + R t U') beam)/(1 - R A'),  F↑ = A F↓ + U beam.
#pragma once

#include <span>

#include "atmosphere/bands.hpp"
#include "atmosphere/layer.hpp"
#include "atmosphere/values.hpp"

namespace phasewise::atmosphere {

// The optics of a layer in a band by the numbers of a column: times its mass.
struct ShortWaveTerms {
  double share;
  double vapour, rayleigh;
  double cloud_absorption, cloud_transport, cloud_scattering, cloud_forward;
};

inline ShortWaveTerms of_layer(const ShortWaveBand& band, double mass) {
  const double scattering = mass * band.cloud * (1.0 - band.cloud_absorption);
  const double g = band.asymmetry;
  return {.share = band.share,
          .vapour = mass * band.vapour,
          .rayleigh = mass * band.rayleigh,
          .cloud_absorption = mass * band.cloud * band.cloud_absorption,
          .cloud_transport = scattering * (1.0 - g),
          .cloud_scattering = scattering * (1.0 - g * g),
          .cloud_forward = scattering * (g - g * g)};
}

template <class V>
PHASEWISE_HD LayerOptics<V> optics_of(const ShortWaveTerms& terms, V vapour, V cloud) {
  const V absorption = fused(cloud, terms.cloud_absorption, terms.vapour * vapour);
  const V rayleigh = all_of<V>(terms.rayleigh);
  return {.absorption = absorption,
          .transport = absorption + fused(cloud, terms.cloud_transport, rayleigh),
          .scattering = fused(cloud, terms.cloud_scattering, rayleigh),
          .forward = terms.cloud_forward * cloud};
}

template <class V>
struct ShortWaveRows {
  const V *vapour, *cloud;
  // In a band, what all below the top of each level reflects, and what the level makes of light
  // that comes down to it.
  V *reflected, *beam_reflected, *passed, *beam_spread, *direct;
  V* net;   // downward minus upward flux, above each level and at the surface
  V* down;  // downward flux there, diffuse and direct, or null
};

// The sun's beam: the cosine of its zenith angle, and its flux through a horizontal plane.
template <class V>
struct Beam {
  V cosine, slant, flux;
};

// A sun on the horizon shines through a very long path, not through an endless one.
template <class V>
PHASEWISE_HD Beam<V> beam_of(V cosine, double solar_constant) {
  const V above = larger(cosine, all_of<V>(1e-6));
  return {above, 1.0 / above, solar_constant * cosine};
}

template <class V>
PHASEWISE_HD void add_layers(const ShortWaveTerms& terms, int levels, double albedo,
                             const Beam<V>& beam, const ShortWaveRows<V>& rows) {
  V reflected = all_of<V>(albedo), beam_reflected = reflected;
  rows.reflected[levels] = reflected;
  rows.beam_reflected[levels] = beam_reflected;
  for (int k = levels - 1; k >= 0; --k) {
    const Layer<V> layer =
        layer_of(optics_of<V>(terms, rows.vapour[k], rows.cloud[k]), beam.cosine, beam.slant);
    const V bounces = 1.0 / fused(-layer.reflection, reflected, all_of<V>(1.0));
    const V passed = layer.transmission * bounces;
    const V from_below = layer.direct * beam_reflected;
    rows.passed[k] = passed;
    rows.beam_spread[k] = bounces * fused(layer.reflection, from_below, layer.beam_transmission);
    rows.direct[k] = layer.direct;
    beam_reflected =
        fused(passed, fused(reflected, layer.beam_transmission, from_below), layer.beam_reflection);
    reflected = fused(passed * layer.transmission, reflected, layer.reflection);
    rows.reflected[k] = reflected;
    rows.beam_reflected[k] = beam_reflected;
  }
}

// Fluxes [W/m²] of all bands.
template <bool with_down, class V>
void short_wave_fluxes(std::span<const ShortWaveTerms> bands, int levels, double albedo,
                       const Beam<V>& beam, const ShortWaveRows<V>& rows) {
  for (int k = 0; k <= levels; ++k) {
    rows.net[k] = V{};
    if constexpr (with_down) rows.down[k] = V{};
  }
  for (const ShortWaveTerms& terms : bands) {
    add_layers(terms, levels, albedo, beam, rows);
    V direct = terms.share * beam.flux, diffuse{};
    for (int k = 0; k <= levels; ++k) {
      const V up = fused(rows.reflected[k], diffuse, rows.beam_reflected[k] * direct);
      rows.net[k] += (diffuse + direct) - up;
      if constexpr (with_down) rows.down[k] += diffuse + direct;
      if (k == levels) break;
      diffuse = fused(rows.passed[k], diffuse, rows.beam_spread[k] * direct);
      direct = rows.direct[k] * direct;
    }
  }
}

}  // namespace phasewise::atmosphere
