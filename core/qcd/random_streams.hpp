// The uses of random numbers in a study of a lattice, one stream each (numerics/normal.hpp). All
// but the hot start and the source have id = trajectory; the turn is 4 global site + axis where a
// link draws, the global site where a site draws, and 0 where all ranks draw the same.
#pragma once

#include <cstdint>

namespace phasewise::qcd::streams {

inline constexpr std::uint32_t hot_start = 0;   // id = axis, turn = global site
inline constexpr std::uint32_t source = 1;      // id = pair of coordinates, turn = solve
inline constexpr std::uint32_t momenta = 2;     // of a link: index = pair of components
inline constexpr std::uint32_t acceptance = 3;  // one number a trajectory
inline constexpr std::uint32_t heat_bath = 4;   // of a link: index counts subgroups and rejections
// Vector k = 0 … 3 of a quark monomial, of a site: index = 3 spin + colour, a pair for each.
inline constexpr std::uint32_t pseudofermions(int monomial, int k) {
  return 16 + 4 * static_cast<std::uint32_t>(monomial) + static_cast<std::uint32_t>(k);
}

}  // namespace phasewise::qcd::streams
