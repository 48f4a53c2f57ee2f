// A number of levels that is known when the code runs, or already when it is compiled, so that
// loops over the levels have fixed lengths.
#pragma once

#include <algorithm>
#include <iterator>
#include <type_traits>

namespace phasewise::sphere {

inline constexpr int fixed_levels[] = {1, 18, 66, 96};

inline bool can_be_fixed(int levels) {
  return std::find(std::begin(fixed_levels), std::end(fixed_levels), levels) !=
         std::end(fixed_levels);
}

// Calls f with the number of levels, or with an integral constant if it is to be fixed.
template <class F>
void with_level_count(int levels, bool fixed, F&& f) {
  if (fixed && levels == 1) return f(std::integral_constant<int, 1>{});
  if (fixed && levels == 18) return f(std::integral_constant<int, 18>{});
  if (fixed && levels == 66) return f(std::integral_constant<int, 66>{});
  if (fixed && levels == 96) return f(std::integral_constant<int, 96>{});
  f(levels);
}

}  // namespace phasewise::sphere
