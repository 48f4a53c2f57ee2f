// Functions on a value of one cell, a double, or on those of several cells along x, one in each
// lane of a vector. A lane has the bits that the double would have.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "parallel/simd.hpp"

namespace phasewise::ocean {

using parallel::Lanes;
using Few = parallel::Vector<double, 4>;

inline constexpr int double_bytes = sizeof(double);
template <class V>
inline constexpr int lanes_of = static_cast<int>(sizeof(V)) / double_bytes;

// Value i and those after it.
template <class V>
PHASEWISE_HD V loaded(const double* from) {
  if constexpr (lanes_of<V> == 1)
    return *from;
  else
    return parallel::load<lanes_of<V>>(from);
}
template <class V>
PHASEWISE_HD void stored(double* to, V value) {
  if constexpr (lanes_of<V> == 1)
    *to = value;
  else
    parallel::store(to, value);
}

// The same value in each lane.
template <class V>
PHASEWISE_HD V all_of(double value) {
  if constexpr (lanes_of<V> == 1)
    return value;
  else
    return value - V{};
}

template <class V>
PHASEWISE_HD V magnitude(V a) {
  if constexpr (lanes_of<V> == 1) {
    return std::fabs(a);
  } else {
    using Bits = parallel::Places<double, lanes_of<V>>;
    return std::bit_cast<V>(std::bit_cast<Bits>(a) & std::int64_t{0x7fffffffffffffff});
  }
}

// `value` where `levels`, the sea levels of a column, reach below this level, and 0 elsewhere.
template <class V>
PHASEWISE_HD V where_sea(V levels, double level, V value) {
  return levels > all_of<V>(level) ? value : V{};
}

}  // namespace phasewise::ocean
