#include "atmosphere/bands.hpp"

#include <cmath>

#include "atmosphere/constants.hpp"

namespace phasewise::atmosphere {

// The well-mixed gas is strongest in the middle band, as carbon dioxide at 15 µm.
std::vector<LongWaveBand> long_wave_bands(int number) {
  std::vector<LongWaveBand> bands;
  for (int band = 0; band < number; ++band) {
    const double x = (band + 0.5) / number;
    bands.push_back({.share = 1.0 / number,
                     .vapour = std::pow(10.0, 3.5 * x - 3.0),
                     .gas = 2e-6 * std::pow(10.0, 2.5 * (1.0 - std::fabs(2.0 * x - 1.0))),
                     .cloud = 100.0});
  }
  return bands;
}

// The wavelength [µm] below which this share of the sun's radiation lies, and the optical thickness
// 0.008735 λ^-4.08 of air (Hansen, Travis, Space Sci. Rev. 16 (1974) 527). Water absorbs in the
// infrared half.
std::vector<ShortWaveBand> short_wave_bands(int number) {
  std::vector<ShortWaveBand> bands;
  const double air = surface_pressure / gravity;
  for (int band = 0; band < number; ++band) {
    const double x = (band + 0.5) / number;
    const double wavelength = 0.3 + 0.4 * x + 1.9 * std::pow(x, 4.0);
    bands.push_back({.share = 1.0 / number,
                     .vapour = x < 0.5 ? 0.0 : 5e-4 * std::pow(10.0, 6.0 * x - 3.0),
                     .rayleigh = 0.008735 * std::pow(wavelength, -4.08) / air,
                     .cloud = 150.0,
                     .cloud_absorption = 1e-5 * std::pow(10.0, 3.5 * x),
                     .asymmetry = 0.85});
  }
  return bands;
}

}  // namespace phasewise::atmosphere
