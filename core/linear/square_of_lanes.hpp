// A square of values in vectors.
#pragma once

#include <algorithm>

#include "parallel/simd.hpp"

namespace phasewise::linear {

// Transposes a square of rows. A step rotates the bits of an element's row and column by one place:
// the row's highest bit becomes the column's lowest one.
inline void transpose(parallel::Lanes (&rows)[parallel::lanes]) {
  for (int step = 1; step < parallel::lanes; step *= 2) {
    parallel::Lanes turned[parallel::lanes];
    for (int i = 0; i < parallel::lanes / 2; ++i) {
      turned[2 * i] = parallel::first_in_turn(rows[i], rows[i + parallel::lanes / 2]);
      turned[2 * i + 1] = parallel::last_in_turn(rows[i], rows[i + parallel::lanes / 2]);
    }
    std::copy_n(turned, parallel::lanes, rows);
  }
}

}  // namespace phasewise::linear
