// Optical depths: what a particle has to pass until something happens to it. One is drawn for each
// particle when a passage begins, from an exponential, and an encounter takes its part off it.
#pragma once

#include <cstdint>

#include "beam/coordinates.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::collision {

// How often a particle may draw in a passage, the first depth included.
inline constexpr int passage_draw_bits = 9;
inline constexpr std::uint16_t passage_draws = 1 << passage_draw_bits;

// The index of a passage's first draw (numerics/normal.hpp); `ip` counts from 0, below 64.
inline std::uint32_t passage_index(int beam, int ip) {
  return static_cast<std::uint32_t>(beam - 1) << 15 | static_cast<std::uint32_t>(ip)
                                                          << passage_draw_bits;
}

// Draws the first depth of each particle, and sets how many were drawn after it to 0.
void draw_depths(const beam::ParticleView& particles, std::uint64_t seed, std::uint64_t turn,
                 std::uint32_t stream, std::uint32_t index, int threads, double* depth,
                 std::uint16_t* drawn);
// One item is a particle.
parallel::KernelCard optical_depths_card();

}  // namespace phasewise::collision
