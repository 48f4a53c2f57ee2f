// What a column is in memory, and what of it moves.
#pragma once

#include <algorithm>
#include <cstdint>

#include "atmosphere/column.hpp"
#include "atmosphere/description.hpp"

namespace phasewise::atmosphere {

// A column of the physics goes out with its state, and comes back with its state, its results, and
// the seconds that it took. A column with a given cost is as many bytes as the study says.
struct ColumnBytes {
  std::int64_t out, back;  // B
  std::int64_t pitch;      // doubles from one column to the next
  int cost = -1;           // the place of the seconds; -1: there are none

  static ColumnBytes of(const Description& description) {
    constexpr std::int64_t value = sizeof(double);
    if (description.costs != nullptr) {
      const auto [out, back] = description.costs->bytes;
      return {out, back, (std::max(out, back) + value - 1) / value, -1};
    }
    const ColumnLayout layout{description.physics.levels};
    const int all = layout.size() + 1;
    return {value * layout.values(), value * all, all, layout.size()};
  }
};

}  // namespace phasewise::atmosphere
