// Points of the six-dimensional Sobol sequence as a pure function of their index.
//
// Sobol, USSR Comput. Math. Math. Phys. 7 (1967) 86, in the order of Antonov and Saleev; the
// direction numbers are those of Joe, Kuo, SIAM J. Sci. Comput. 30 (2008) 2635
// (new-joe-kuo-6.21201).
#pragma once

#include <array>
#include <cstdint>

namespace phasewise::numerics {

inline constexpr int sobol_dimensions = 6;

// The point's coordinates in units of 2^-32.
std::array<std::uint32_t, sobol_dimensions> sobol_point(std::uint32_t index);

// The point inside (0, 1)^6 after nested uniform scrambling (Owen, SIAM J. Numer. Anal. 34 (1997)
// 1884) by a hash of seed, stream (numerics/normal.hpp) and number. Each combination of these gives
// another sequence with the same uniformity.
std::array<double, sobol_dimensions> scrambled_sobol_point(std::uint32_t index, std::uint64_t seed,
                                                           std::uint32_t stream,
                                                           std::uint32_t number);

}  // namespace phasewise::numerics
