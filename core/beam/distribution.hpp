// Matched bunches; each particle is a pure function of the seed, the beam and its id.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "beam/amplitudes.hpp"
#include "beam/coordinates.hpp"
#include "beam/linear_optics.hpp"

namespace phasewise::beam {

enum class Distribution : std::uint8_t {
  gaussian,  // independent deviates, of any shape
  quiet,     // a scrambled Sobol sequence: means and variances converge faster than N^-1/2
  file,      // coordinates come from elsewhere; zero until then
};

// A part of a bunch: the amplitudes of x, y and z, and its rms over that of the bunch.
struct BunchPart {
  std::array<Amplitudes, 3> amplitudes{};
  std::array<double, 3> scale{1.0, 1.0, 1.0};
};

// How the normal modes become x px y py; V of D. Sagan, D. Rubin, PRSTAB 2 (1999) 074001.
struct Mixing {
  double rows[4][4];
};

struct BunchDescription {
  Distribution distribution = Distribution::gaussian;
  // At the first interaction point: of x and y, or of the normal modes where they are mixed.
  Optics optics;
  std::optional<Mixing> mixing{};
  double emittance_x = 0.0;      // m, geometric, rms
  double emittance_y = 0.0;      // m
  double bunch_length = 0.0;     // m, rms
  double momentum_spread = 0.0;  // rms
  BunchPart first{}, second{};
  double second_share = 0.0;                // of the particles
  double mismatch[6] = {1, 1, 1, 1, 1, 1};  // factors on x px y py z delta, before the offset
  double offset[6] = {0, 0, 0, 0, 0, 0};    // m and 1
};

// Sets the coordinates of particles whose ids are set. A cut removes the tail of each plane's
// amplitude distribution and keeps the shape of the rest, so that the rms shrinks.
void fill(ParticleView particles, const BunchDescription& bunch, std::uint64_t seed,
          std::uint32_t beam);

}  // namespace phasewise::beam
