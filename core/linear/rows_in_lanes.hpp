// Rows of complex values, which lie anywhere in memory, read into the lanes of vectors and written
// from there, by squares of values that are transposed.
#pragma once

#include <array>
#include <complex>

#include "linear/square_of_lanes.hpp"
#include "numerics/lanes_of_complex.hpp"
#include "parallel/simd.hpp"

namespace phasewise::linear {

// Reads the first n values of a row into each lane of values[0], values[1], …
template <class Values>
void read_rows(const std::array<const std::complex<double>*, parallel::lanes>& rows, int n,
               const Values& values) {
  using parallel::lanes;
  constexpr int in_vector = lanes / 2;  // complex values
  int i = 0;
  for (; i + in_vector <= n; i += in_vector) {
    parallel::Lanes square[lanes];
#pragma GCC unroll 8
    for (int lane = 0; lane < lanes; ++lane)
      square[lane] = parallel::load(reinterpret_cast<const double*>(rows[lane] + i));
    transpose(square);
#pragma GCC unroll 4
    for (int k = 0; k < in_vector; ++k) values[i + k] = {square[2 * k], square[2 * k + 1]};
  }
  for (; i < n; ++i)
    for (int lane = 0; lane < lanes; ++lane) {
      values[i].re[lane] = rows[lane][i].real();
      values[i].im[lane] = rows[lane][i].imag();
    }
}

template <class Values>
void write_rows(const Values& values, int n,
                const std::array<std::complex<double>*, parallel::lanes>& rows) {
  using parallel::lanes;
  constexpr int in_vector = lanes / 2;
  int i = 0;
  for (; i + in_vector <= n; i += in_vector) {
    parallel::Lanes square[lanes];
#pragma GCC unroll 4
    for (int k = 0; k < in_vector; ++k) {
      square[2 * k] = values[i + k].re;
      square[2 * k + 1] = values[i + k].im;
    }
    transpose(square);
#pragma GCC unroll 8
    for (int lane = 0; lane < lanes; ++lane)
      parallel::store(reinterpret_cast<double*>(rows[lane] + i), square[lane]);
  }
  for (; i < n; ++i)
    for (int lane = 0; lane < lanes; ++lane)
      rows[lane][i] = {values[i].re[lane], values[i].im[lane]};
}

}  // namespace phasewise::linear
