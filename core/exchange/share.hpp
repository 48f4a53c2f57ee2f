// Items divided into whole shares.
#pragma once

#include <algorithm>
#include <utility>

namespace phasewise::exchange {

using Range = std::pair<int, int>;  // [begin, end)

inline int size_of(const Range& range) { return range.second - range.first; }

// The items [begin, end) of n that belong to `part` of `parts`; the first n mod parts shares have
// one item more.
template <class Integer>
std::pair<Integer, Integer> share(Integer n, int parts, int part) {
  const Integer base = n / parts, extra = n % parts;
  const Integer begin = part * base + std::min<Integer>(part, extra);
  return {begin, begin + base + (part < extra ? 1 : 0)};
}

}  // namespace phasewise::exchange
