// Philox 4x32-10: four 32-bit random words as a pure function of a counter and a key.
//
// Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11 (2011).
#pragma once

#include <cstdint>

#include "parallel/macros.hpp"

namespace phasewise::numerics {

struct PhiloxWords {
  std::uint32_t w0, w1, w2, w3;
};

PHASEWISE_HD PhiloxWords philox_round(PhiloxWords c, std::uint32_t key0, std::uint32_t key1) {
  const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * c.w0;
  const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * c.w2;
  return {static_cast<std::uint32_t>(product1 >> 32) ^ c.w1 ^ key0,
          static_cast<std::uint32_t>(product1),
          static_cast<std::uint32_t>(product0 >> 32) ^ c.w3 ^ key1,
          static_cast<std::uint32_t>(product0)};
}

// The ten rounds are written out, because compilers vectorise only loops without inner loops.
PHASEWISE_HD PhiloxWords philox(PhiloxWords counter, std::uint32_t key0, std::uint32_t key1) {
  constexpr std::uint32_t step0 = 0x9E3779B9u;
  constexpr std::uint32_t step1 = 0xBB67AE85u;
  PhiloxWords c = philox_round(counter, key0, key1);
  c = philox_round(c, key0 + step0, key1 + step1);
  c = philox_round(c, key0 + 2 * step0, key1 + 2 * step1);
  c = philox_round(c, key0 + 3 * step0, key1 + 3 * step1);
  c = philox_round(c, key0 + 4 * step0, key1 + 4 * step1);
  c = philox_round(c, key0 + 5 * step0, key1 + 5 * step1);
  c = philox_round(c, key0 + 6 * step0, key1 + 6 * step1);
  c = philox_round(c, key0 + 7 * step0, key1 + 7 * step1);
  c = philox_round(c, key0 + 8 * step0, key1 + 8 * step1);
  return philox_round(c, key0 + 9 * step0, key1 + 9 * step1);
}

}  // namespace phasewise::numerics
