// The streams of random numbers that beams draw from, and their indices within one.
#pragma once

#include <cstdint>

#include "parallel/macros.hpp"

namespace phasewise::beam {

namespace streams {
inline constexpr std::uint32_t initial_particle = 1, quiet_start = 2, excitation = 3, feedback = 4,
                               beam_noise = 5, crab_noise = 20, crab_lines = 21;
inline constexpr std::uint32_t photon_depth = 16, photon = 17, scattering_depth = 18,
                               scattering = 19, virtual_photon = 22;
}  // namespace streams

inline constexpr std::uint32_t elements_max = 4096;

// Gives each beam (1, 2), place in a line (below elements_max) and draw of one element (below 8) an
// index of its own, below 65536.
PHASEWISE_HD std::uint32_t draw_index(std::uint32_t beam, std::uint32_t element,
                                      std::uint32_t draw) {
  return ((beam - 1) << 15) | (element << 3) | draw;
}

}  // namespace phasewise::beam
