#include "beam/crab_noise.hpp"

#include <algorithm>
#include <cmath>

#include "beam/streams.hpp"
#include "numerics/elementary.hpp"
#include "numerics/normal.hpp"

namespace phasewise::beam {
namespace {

constexpr std::int64_t lines_in_all = 1024;

}  // namespace

NoiseLines::NoiseLines(std::span<const double> table, double revolution_frequency,
                       std::uint64_t seed, std::uint32_t id, std::uint32_t beam,
                       std::uint32_t which) {
  const std::int64_t parts = std::ssize(table) / 2 - 1;
  const std::int64_t each =
      std::max<std::int64_t>(1, lines_in_all / std::max<std::int64_t>(1, parts));
  for (std::int64_t part = 0; part < parts; ++part) {
    const double low = table[2 * part], at_low = table[2 * part + 1];
    const double width = (table[2 * part + 2] - low) / static_cast<double>(each);
    const double step = (table[2 * part + 3] - at_low) / static_cast<double>(each);
    for (std::int64_t k = 0; k < each; ++k) {
      const auto line = static_cast<std::uint64_t>(part * each + k);
      double place, unused, sine, cosine;
      numerics::uniform_pair(seed, id, line, streams::crab_lines, draw_index(beam, 0, 2 + which),
                             place, unused);
      numerics::normal_pair(seed, id, line, streams::crab_lines, draw_index(beam, 0, which), sine,
                            cosine);
      const double rms = std::sqrt((at_low + (static_cast<double>(k) + 0.5) * step) * width);
      const double turns = (low + (static_cast<double>(k) + place) * width) / revolution_frequency;
      frequency_.push_back(turns - std::floor(turns));
      sine_.push_back(rms * sine);
      cosine_.push_back(rms * cosine);
    }
  }
}

double NoiseLines::at(std::int64_t turn) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < frequency_.size(); ++k) {
    double sine, cosine;
    numerics::sincos_turns(frequency_[k] * static_cast<double>(turn), sine, cosine);
    sum += sine_[k] * sine + cosine_[k] * cosine;
  }
  return sum;
}

CavityErrors CavityNoise::at(std::int64_t turn) const {
  CavityErrors errors;
  if (phase > 0.0 || amplitude > 0.0) {
    double g0, g1;
    numerics::normal_pair(seed, id, static_cast<std::uint64_t>(turn), streams::crab_noise,
                          draw_index(beam, 0, 0), g0, g1);
    errors = {phase * g0, amplitude * g1};
  }
  errors.phase += phase_lines.at(turn);
  errors.amplitude += amplitude_lines.at(turn);
  if (drift_turns[1] > drift_turns[0]) {
    const double t =
        (static_cast<double>(turn) - drift_turns[0]) / (drift_turns[1] - drift_turns[0]);
    const double grown = std::clamp(t, 0.0, 1.0);
    errors.phase += grown * drift.phase;
    errors.amplitude += grown * drift.amplitude;
  }
  return errors;
}

}  // namespace phasewise::beam
