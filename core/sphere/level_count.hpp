// A number of levels that is known when the code runs, or already when it is compiled, so that
// loops over the levels have fixed lengths.
#pragma once

#include <algorithm>
#include <iterator>

namespace phasewise::sphere {

inline constexpr int fixed_levels[] = {1, 18, 66, 96};

inline bool can_be_fixed(int levels) {
  return std::find(std::begin(fixed_levels), std::end(fixed_levels), levels) !=
         std::end(fixed_levels);
}

// 0: known when the code runs.
template <int compiled_in>
struct LevelCount {
  int given;
  constexpr operator int() const { return compiled_in > 0 ? compiled_in : given; }
};

// Calls f with the number of levels, compiled in if it is to be fixed.
template <class F>
void with_level_count(int levels, bool fixed, F&& f) {
  if (fixed && levels == 1) return f(LevelCount<1>{levels});
  if (fixed && levels == 18) return f(LevelCount<18>{levels});
  if (fixed && levels == 66) return f(LevelCount<66>{levels});
  if (fixed && levels == 96) return f(LevelCount<96>{levels});
  f(LevelCount<0>{levels});
}

}  // namespace phasewise::sphere
