// Complex 3 × 3 matrices of several sites at once: each element is a vector with a lane for each
// site, or one number. A lane's bits are those of the plain matrices in su3.hpp.
#pragma once

#include "parallel/simd.hpp"
#include "qcd/gauge/su3.hpp"

namespace phasewise::qcd {

inline constexpr int matrix_reals = sizeof(Matrix) / sizeof(double);

template <class V>
struct ColourMatrix {
  V re[3][3], im[3][3];
};

// Whether a factor is taken as its adjoint.
enum class Side : bool { plain, adjoint };

// a b, with either factor as its adjoint. 198 flops.
template <Side first = Side::plain, Side second = Side::plain, class V>
ColourMatrix<V> product(const ColourMatrix<V>& a, const ColourMatrix<V>& b) {
  using parallel::fused;
  constexpr bool turn_a = first == Side::adjoint, turn_b = second == Side::adjoint;
  ColourMatrix<V> m;
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i)
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      V re{}, im{};
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k) {
        const V x = turn_a ? a.re[k][i] : a.re[i][k], u = turn_b ? b.re[j][k] : b.re[k][j];
        const V y = turn_a ? -a.im[k][i] : a.im[i][k], v = turn_b ? -b.im[j][k] : b.im[k][j];
        re = fused(-y, v, fused(x, u, re));
        im = fused(y, u, fused(x, v, im));
      }
      m.re[i][j] = re;
      m.im[i][j] = im;
    }
  return m;
}

template <class V>
void add(ColourMatrix<V>& sum, const ColourMatrix<V>& a) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      sum.re[i][j] += a.re[i][j];
      sum.im[i][j] += a.im[i][j];
    }
}

template <class V, class Factor>
void scale(ColourMatrix<V>& a, const Factor& factor) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      a.re[i][j] *= factor;
      a.im[i][j] *= factor;
    }
}

// Re tr a b.
template <class V>
V real_trace_of_product(const ColourMatrix<V>& a, const ColourMatrix<V>& b) {
  using parallel::fused;
  V sum{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      sum = fused(-a.im[i][j], b.im[j][i], fused(a.re[i][j], b.re[j][i], sum));
  return sum;
}

// The traceless anti-Hermitian part of factor a, (a - a†)/2 without its trace.
template <class V>
ColourMatrix<V> traceless_antihermitian(double factor, const ColourMatrix<V>& a) {
  ColourMatrix<V> m;
  const double half = 0.5 * factor;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      m.re[i][j] = half * (a.re[i][j] - a.re[j][i]);
      m.im[i][j] = half * (a.im[i][j] + a.im[j][i]);
    }
  const V trace = (m.im[0][0] + m.im[1][1] + m.im[2][2]) / 3.0;
  for (int i = 0; i < 3; ++i) m.im[i][i] -= trace;
  return m;
}

// The transpose of a 4 × 4 block.
inline void transpose(parallel::Doubles4 (&row)[4]) {
  using parallel::Doubles4;
  const Doubles4 even_low = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
  const Doubles4 odd_low = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
  const Doubles4 even_high = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
  const Doubles4 odd_high = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
  row[0] = __builtin_shufflevector(even_low, even_high, 0, 1, 4, 5);
  row[1] = __builtin_shufflevector(odd_low, odd_high, 0, 1, 4, 5);
  row[2] = __builtin_shufflevector(even_low, even_high, 2, 3, 6, 7);
  row[3] = __builtin_shufflevector(odd_low, odd_high, 2, 3, 6, 7);
}

// Calls f(first real) for blocks of four of a link's reals. The last block overlaps with the one
// before.
template <class F>
void for_fours(F&& f) {
  for (int first = 0; first + 4 <= matrix_reals; first += 4) f(first);
  f(matrix_reals - 4);
}

// The reals of four links, as vectors with one of each link.
inline void transpose_links(const double* const* from, parallel::Doubles4 (&to)[matrix_reals]) {
  for_fours([&](int first) {
    parallel::Doubles4 row[4];
    for (int lane = 0; lane < 4; ++lane) row[lane] = parallel::load<4>(from[lane] + first);
    transpose(row);
    for (int real = 0; real < 4; ++real) to[first + real] = row[real];
  });
}
// The reverse.
inline void transpose_lanes(const parallel::Doubles4 (&from)[matrix_reals], double* const* to) {
  for_fours([&](int first) {
    parallel::Doubles4 row[4];
    for (int real = 0; real < 4; ++real) row[real] = from[first + real];
    transpose(row);
    for (int lane = 0; lane < 4; ++lane) parallel::store(to[lane] + first, row[lane]);
  });
}

// A link of each lane.
template <int Lanes>
ColourMatrix<parallel::Vector<double, Lanes>> load_links(const Matrix* const (&links)[Lanes]) {
  static_assert(Lanes == 1 || Lanes == 4 || Lanes == 8);
  parallel::Vector<double, Lanes> reals[matrix_reals];
  const double* from[Lanes];
  for (int lane = 0; lane < Lanes; ++lane) from[lane] = &links[lane]->e[0][0].re;
  if constexpr (Lanes == 1) {
    for (int i = 0; i < matrix_reals; ++i) reals[i] = from[0][i];
  } else if constexpr (Lanes == 4) {
    transpose_links(from, reals);
  } else {
    parallel::Doubles4 low[matrix_reals], high[matrix_reals];
    transpose_links(from, low);
    transpose_links(from + 4, high);
    for (int i = 0; i < matrix_reals; ++i)
      reals[i] = __builtin_shufflevector(low[i], high[i], 0, 1, 2, 3, 4, 5, 6, 7);
  }
  ColourMatrix<parallel::Vector<double, Lanes>> m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      m.re[i][j] = reals[2 * (3 * i + j)];
      m.im[i][j] = reals[2 * (3 * i + j) + 1];
    }
  return m;
}

// Stores a link of each lane. Lanes may have the same link.
template <int Lanes>
void store_links(const ColourMatrix<parallel::Vector<double, Lanes>>& m,
                 Matrix* const (&links)[Lanes]) {
  static_assert(Lanes == 1 || Lanes == 4 || Lanes == 8);
  parallel::Vector<double, Lanes> reals[matrix_reals];
  double* to[Lanes];
  for (int lane = 0; lane < Lanes; ++lane) to[lane] = &links[lane]->e[0][0].re;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      reals[2 * (3 * i + j)] = m.re[i][j];
      reals[2 * (3 * i + j) + 1] = m.im[i][j];
    }
  if constexpr (Lanes == 1) {
    for (int i = 0; i < matrix_reals; ++i) to[0][i] = reals[i];
  } else if constexpr (Lanes == 4) {
    transpose_lanes(reals, to);
  } else {
    parallel::Doubles4 low[matrix_reals], high[matrix_reals];
    for (int i = 0; i < matrix_reals; ++i) {
      low[i] = __builtin_shufflevector(reals[i], reals[i], 0, 1, 2, 3);
      high[i] = __builtin_shufflevector(reals[i], reals[i], 4, 5, 6, 7);
    }
    transpose_lanes(low, to);
    transpose_lanes(high, to + 4);
  }
}

// Matrices that lie in vectors: [real][lane].
template <int Lanes>
ColourMatrix<parallel::Vector<double, Lanes>> load_lanes(const double* from) {
  ColourMatrix<parallel::Vector<double, Lanes>> m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      m.re[i][j] = parallel::load_vector<double, Lanes>(from + 2 * (3 * i + j) * Lanes);
      m.im[i][j] = parallel::load_vector<double, Lanes>(from + (2 * (3 * i + j) + 1) * Lanes);
    }
  return m;
}
template <int Lanes>
void store_lanes(const ColourMatrix<parallel::Vector<double, Lanes>>& m, double* to) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      parallel::store_vector<double, Lanes>(to + 2 * (3 * i + j) * Lanes, m.re[i][j]);
      parallel::store_vector<double, Lanes>(to + (2 * (3 * i + j) + 1) * Lanes, m.im[i][j]);
    }
}

}  // namespace phasewise::qcd
