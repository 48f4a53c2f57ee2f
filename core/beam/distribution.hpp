// Matched Gaussian bunches; each particle is a pure function of the seed, the beam and its id.
#pragma once

#include <cstdint>

#include "beam/coordinates.hpp"
#include "beam/linear_optics.hpp"

namespace phasewise::beam {

enum class Distribution : std::uint8_t {
  gaussian,  // independent deviates
  quiet,     // a scrambled Sobol sequence: means and variances converge faster than N^-1/2
  file,      // coordinates come from elsewhere; zero until then
};

struct BunchDescription {
  Distribution distribution = Distribution::gaussian;
  Optics optics;                 // at the first interaction point
  double emittance_x = 0.0;      // m, geometric, rms
  double emittance_y = 0.0;      // m
  double bunch_length = 0.0;     // m, rms
  double momentum_spread = 0.0;  // rms
  double cut[3] = {0, 0, 0};     // largest normalised amplitude in x, y and z, in rms; 0 = none
  double mismatch[6] = {1, 1, 1, 1, 1, 1};  // factors on x px y py z delta, before the offset
  double offset[6] = {0, 0, 0, 0, 0, 0};    // m and 1
};

// Sets the coordinates of particles whose ids are set. A cut removes the tail of each plane's
// amplitude distribution and keeps the shape of the rest, so that the rms shrinks.
void fill(ParticleView particles, const BunchDescription& bunch, std::uint64_t seed,
          std::uint32_t beam);

}  // namespace phasewise::beam
