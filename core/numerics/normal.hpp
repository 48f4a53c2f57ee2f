// Uniform and normal deviates as pure functions of (seed, id, turn, stream, index).
//
// Normal deviates are made from Philox words by the transformation of Box and Muller, Ann. Math.
// Stat. 29 (1958) 610, and are therefore the same numbers on any number of ranks and threads. A
// stream is one use of random numbers: different streams never share a number. Streams and indices
// are below 65536; whoever draws keeps the list of its streams.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "numerics/elementary.hpp"
#include "numerics/philox.hpp"
#include "parallel/macros.hpp"

namespace phasewise::numerics {

// A multiple of 2^-53 inside (0, 1), from the upper 52 of 64 bits.
PHASEWISE_HD double unit_interval(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32) | low;
  const double one_to_two = std::bit_cast<double>((bits >> 12) | 0x3FF0000000000000u);
  return (one_to_two - 1.0) + 0x1p-53;
}

// Two independent uniform deviates inside (0, 1).
PHASEWISE_HD void uniform_pair(std::uint64_t seed, std::uint32_t id, std::uint64_t turn,
                               std::uint32_t stream, std::uint32_t index, double& u0, double& u1) {
  const PhiloxWords counter{id, static_cast<std::uint32_t>(turn),
                            static_cast<std::uint32_t>(turn >> 32), (stream << 16) | index};
  const PhiloxWords r =
      philox(counter, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  u0 = unit_interval(r.w0, r.w1);
  u1 = unit_interval(r.w2, r.w3);
}

// Two independent normal deviates with mean 0 and variance 1.
PHASEWISE_HD void normal_pair(std::uint64_t seed, std::uint32_t id, std::uint64_t turn,
                              std::uint32_t stream, std::uint32_t index, double& g0, double& g1) {
  double u0, u1, sine, cosine;
  uniform_pair(seed, id, turn, stream, index, u0, u1);
  sincos_turns(u1, sine, cosine);
  const double radius = std::sqrt(-2.0 * log_positive(u0));
  g0 = radius * cosine;
  g1 = radius * sine;
}

}  // namespace phasewise::numerics
