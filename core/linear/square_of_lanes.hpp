// A square of values in vectors.
#pragma once

#include <algorithm>
#include <cstdint>

#include "parallel/simd.hpp"

namespace phasewise::linear {

#if defined(__AVX2__) && !defined(__AVX512F__)

// Transposes a square of rows. Halves of rows are brought together by instructions that take one
// step also on processors with units of 128 bits, where a general permutation takes many.
inline void transpose(parallel::Lanes (&rows)[parallel::lanes]) {
  using parallel::Lanes;
  const auto first_halves = [](Lanes x, Lanes y) {
    return static_cast<Lanes>(_mm256_insertf128_pd(x, _mm256_castpd256_pd128(y), 1));
  };
  const auto last_halves = [](Lanes x, Lanes y) {
    const __m256d last = _mm256_castpd128_pd256(_mm256_extractf128_pd(x, 1));
    return static_cast<Lanes>(_mm256_blend_pd(y, last, 0b0011));
  };
  const Lanes a = first_halves(rows[0], rows[2]), b = first_halves(rows[1], rows[3]);
  const Lanes c = last_halves(rows[0], rows[2]), d = last_halves(rows[1], rows[3]);
  rows[0] = static_cast<Lanes>(_mm256_unpacklo_pd(a, b));
  rows[1] = static_cast<Lanes>(_mm256_unpackhi_pd(a, b));
  rows[2] = static_cast<Lanes>(_mm256_unpacklo_pd(c, d));
  rows[3] = static_cast<Lanes>(_mm256_unpackhi_pd(c, d));
}

#else

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

#endif

// The columns of a square in memory.
inline void load_transposed(const double* from, std::int64_t row_stride,
                            parallel::Lanes (&columns)[parallel::lanes]) {
  for (int row = 0; row < parallel::lanes; ++row)
    columns[row] = parallel::load(from + row * row_stride);
  transpose(columns);
}

}  // namespace phasewise::linear
