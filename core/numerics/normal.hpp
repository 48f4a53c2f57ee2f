// Uniform and normal deviates as pure functions of (seed, particle, turn, purpose, index).
//
// Normal deviates by the transformation of Box and Muller, Ann. Math. Stat. 29 (1958) 610, from
// Philox words; hence the same numbers on any number of ranks and threads.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "numerics/elementary.hpp"
#include "numerics/philox.hpp"
#include "parallel/macros.hpp"

namespace phasewise::numerics {

// The purpose of a random number; different purposes never share one. There may be 65536.
enum class Purpose : std::uint32_t {
  initial_particle = 1,
  quiet_start = 2,
  excitation = 3,
  feedback = 4,
  beam_noise = 5,
};

inline constexpr std::uint32_t elements_max = 4096;

// A different index, below 65536, for each beam (1, 2), place in a line (below elements_max) and
// draw of one element (below 8).
PHASEWISE_HD std::uint32_t draw_index(std::uint32_t beam, std::uint32_t element,
                                      std::uint32_t draw) {
  return ((beam - 1) << 15) | (element << 3) | draw;
}

// A multiple of 2^-53 inside (0, 1), from the upper 52 of 64 bits.
PHASEWISE_HD double unit_interval(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32) | low;
  const double one_to_two = std::bit_cast<double>((bits >> 12) | 0x3FF0000000000000u);
  return (one_to_two - 1.0) + 0x1p-53;
}

// Two independent uniform deviates inside (0, 1).
PHASEWISE_HD void uniform_pair(std::uint64_t seed, std::uint32_t id, std::uint64_t turn,
                               Purpose purpose, std::uint32_t index, double& u0, double& u1) {
  const PhiloxWords counter{id, static_cast<std::uint32_t>(turn),
                            static_cast<std::uint32_t>(turn >> 32),
                            (static_cast<std::uint32_t>(purpose) << 16) | index};
  const PhiloxWords r =
      philox(counter, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  u0 = unit_interval(r.w0, r.w1);
  u1 = unit_interval(r.w2, r.w3);
}

// Two independent normal deviates of mean 0 and variance 1.
PHASEWISE_HD void normal_pair(std::uint64_t seed, std::uint32_t id, std::uint64_t turn,
                              Purpose purpose, std::uint32_t index, double& g0, double& g1) {
  double u0, u1, sine, cosine;
  uniform_pair(seed, id, turn, purpose, index, u0, u1);
  sincos_turns(u1, sine, cosine);
  const double radius = std::sqrt(-2.0 * log_positive(u0));
  g0 = radius * cosine;
  g1 = radius * sine;
}

}  // namespace phasewise::numerics
