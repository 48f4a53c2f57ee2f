// Bands of radiation: what a kilogram of each absorber does in them.
#pragma once

#include <vector>

namespace phasewise::atmosphere {

// Absorption of long wave radiation, which no absorber scatters.
struct LongWaveBand {
  double share;               // of black-body radiation
  double vapour, gas, cloud;  // [m²/kg] of vapour, of air for the well-mixed gas, of cloud water
};

struct ShortWaveBand {
  double share;             // of the sun's radiation
  double vapour;            // absorption [m²/kg]
  double rayleigh;          // scattering of the air [m²/kg]
  double cloud;             // extinction of cloud water [m²/kg]
  double cloud_absorption;  // 1 - single scattering albedo
  double asymmetry;         // of scattering by clouds
};

// Bands of equal shares, from the most transparent ones to those that water closes. They stand for
// the spread of the absorption in real spectra, not for particular wavelengths.
std::vector<LongWaveBand> long_wave_bands(int number);
std::vector<ShortWaveBand> short_wave_bands(int number);

}  // namespace phasewise::atmosphere
