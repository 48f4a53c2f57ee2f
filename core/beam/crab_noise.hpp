// Errors of crab cavities: white noise, noise by a spectrum, and slow drifts, as pure functions of
// the seed, the turn and the cavity, so that all ranks know them without a message.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace phasewise::beam {

// A Gaussian process as a sum of lines, each at a random frequency within its part of a spectrum
// (S. Rice, Bell Syst. Tech. J. 23 (1944) 282): its mean square between two frequencies is the
// integral of the spectrum.
class NoiseLines {
 public:
  NoiseLines() = default;
  // `table` holds frequency [Hz] and one-sided density [1/Hz], row by row. `id`, `beam` (1, 2) and
  // `which` (0: phase, 1: amplitude) choose the random numbers.
  NoiseLines(std::span<const double> table, double revolution_frequency, std::uint64_t seed,
             std::uint32_t id, std::uint32_t beam, std::uint32_t which);

  double at(std::int64_t turn) const;

 private:
  std::vector<double> frequency_, sine_, cosine_;  // turns⁻¹; amplitudes
};

// The errors of one cavity.
struct CavityErrors {
  double phase = 0.0;      // rad
  double amplitude = 0.0;  // relative
};

struct CavityNoise {
  std::uint64_t seed = 0;
  std::uint32_t id = 0;    // of the cavity, among all of this beam
  std::uint32_t beam = 1;  // 1 or 2
  double phase = 0.0;      // rms, rad a turn
  double amplitude = 0.0;  // rms, relative
  NoiseLines phase_lines, amplitude_lines;
  CavityErrors drift{};                 // at the end of the drift
  std::array<double, 2> drift_turns{};  // between which it grows linearly; both 0: none

  CavityErrors at(std::int64_t turn) const;
};

}  // namespace phasewise::beam
