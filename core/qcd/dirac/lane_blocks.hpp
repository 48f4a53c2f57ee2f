// The blocks of several sites at once (site_blocks.hpp): each element is a vector with a lane for
// each site.
#pragma once

#include <array>
#include <limits>

#include "qcd/dirac/site_blocks.hpp"
#include "qcd/gauge/colour_matrix.hpp"

namespace phasewise::qcd {

template <class V>
struct LaneBlock {
  V re[6][6], im[6][6];
};

// i^power times a number.
template <class V>
ComplexOf<V> times_power_of_i(int power, const V& re, const V& im) {
  switch (power & 3) {
    case 1:
      return {-im, re};
    case 2:
      return {-re, -im};
    case 3:
      return {im, -re};
    default:
      return {re, im};
  }
}

// The block of a chirality (0: spins 0 and 1). `strength` has a matrix for each plane; `weights`
// has c of each plane.
template <class V>
LaneBlock<V> clover_block(int chirality, double diagonal, const ColourMatrix<V>* strength,
                          const std::array<double, planes>& weights) {
  LaneBlock<V> block{};
  for (int i = 0; i < 6; ++i) block.re[i][i] = V{} + diagonal;
  int plane = 0;
  for (int mu = 0; mu < axes; ++mu)
    for (int nu = mu + 1; nu < axes; ++nu, ++plane)
      for (int a = 0; a < 2; ++a) {
        const GammaRow spin = gamma_product_row(mu, nu, 2 * chirality + a);
        const int b = spin.column - 2 * chirality;
        const double half = 0.5 * weights[plane];
        for (int c = 0; c < colours; ++c)
          for (int d = 0; d < colours; ++d) {
            const ComplexOf<V> turned = times_power_of_i<V>(
                spin.power, half * strength[plane].re[c][d], half * strength[plane].im[c][d]);
            block.re[colours * a + c][colours * b + d] -= turned.re;
            block.im[colours * a + c][colours * b + d] -= turned.im;
          }
      }
  return block;
}

// a² + µ².
template <class V>
LaneBlock<V> squared(const LaneBlock<V>& a, double mu) {
  LaneBlock<V> b{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      for (int k = 0; k < 6; ++k) {
        const auto product = complex_product<V>(a.re[i][k], a.im[i][k], a.re[k][j], a.im[k][j]);
        b.re[i][j] += product.re;
        b.im[i][j] += product.im;
      }
      if (i == j) b.re[i][j] += mu * mu;
    }
  return b;
}

// A bound of the norm of a matrix: the root of the sum of its elements' squares.
template <class V>
V squared_norm_bound(const LaneBlock<V>& a) {
  V sum{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) sum += a.re[i][j] * a.re[i][j] + a.im[i][j] * a.im[i][j];
  return sum;
}

template <int Lanes>
Block block_of(const LaneBlock<Vector<double, Lanes>>& a, int lane) {
  Block block;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      block[i][j] = {parallel::lane_of<double, Lanes>(a.re[i][j], lane),
                     parallel::lane_of<double, Lanes>(a.im[i][j], lane)};
  return block;
}

template <int Lanes>
void set_lane_of(Vector<double, Lanes>& vector, int lane, double value) {
  if constexpr (Lanes == 1)
    vector = value;
  else
    vector[lane] = value;
}

template <int Lanes>
struct LaneInverse {
  using V = Vector<double, Lanes>;
  LaneBlock<V> inverse;
  V squared_determinant;
  V singular;  // 1 in a lane without an inverse
};

// m_kj *= scale, and m_ij -= (x + iy) m_kj.
template <class V>
void scale_element(LaneBlock<V>& m, int k, int j, const ComplexOf<V>& scale) {
  const auto scaled = complex_product<V>(m.re[k][j], m.im[k][j], scale.re, scale.im);
  m.re[k][j] = scaled.re;
  m.im[k][j] = scaled.im;
}
template <class V>
void subtract_element(LaneBlock<V>& m, int i, int k, int j, const V& x, const V& y) {
  const auto part = complex_product<V>(x, y, m.re[k][j], m.im[k][j]);
  m.re[i][j] -= part.re;
  m.im[i][j] -= part.im;
}

// 1/(c + id) by the operations of the compiler's division where |c| is the larger one (R. L. Smith,
// Commun. ACM 5 (1962) 435); `unfit` becomes 1 elsewhere.
template <class V>
ComplexOf<V> reciprocal(const V& c, const V& d, V& unfit) {
  constexpr double least = std::numeric_limits<double>::min();
  const V ratio = d / c, denominator = c + d * ratio;
  const V one = V{} + 1.0;
  unfit = c * c >= d * d ? unfit : one;
  const V size = ratio < V{} ? -ratio : ratio;
  return {one / denominator, (size > V{} + least ? -ratio : -(d * (one / c))) / denominator};
}

// Eliminates with the diagonal as pivots, by the operations of inverse(); `unfit` becomes 1 in a
// lane where inverse() may take other pivots.
template <int Lanes>
void eliminate(LaneBlock<Vector<double, Lanes>>& a, LaneInverse<Lanes>& found,
               Vector<double, Lanes>& unfit) {
  using V = Vector<double, Lanes>;
  constexpr double clearly = 1.0 + 1e-12, smallest = 1e-24;
  LaneBlock<V>& b = found.inverse;
  const V one = V{} + 1.0;
  V largest{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      const V norm = a.re[i][j] * a.re[i][j] + a.im[i][j] * a.im[i][j];
      largest = norm > largest ? norm : largest;
    }
  for (int k = 0; k < 6; ++k) {
    const V norm = a.re[k][k] * a.re[k][k] + a.im[k][k] * a.im[k][k];
    unfit = norm > smallest * largest ? unfit : one;
    for (int i = k + 1; i < 6; ++i)
      unfit = norm > clearly * (a.re[i][k] * a.re[i][k] + a.im[i][k] * a.im[i][k]) ? unfit : one;
    found.squared_determinant *= norm;
    const ComplexOf<V> scale = reciprocal<V>(a.re[k][k], a.im[k][k], unfit);
    // Behind column k of `a`, and up to column k of `b`, the elements are 0 or are not used again.
    for (int j = k + 1; j < 6; ++j) scale_element(a, k, j, scale);
    for (int j = 0; j <= k; ++j) scale_element(b, k, j, scale);
    for (int i = 0; i < 6; ++i) {
      if (i == k) continue;
      const V x = a.re[i][k], y = a.im[i][k];
      for (int j = k + 1; j < 6; ++j) subtract_element(a, i, k, j, x, y);
      for (int j = 0; j <= k; ++j) subtract_element(b, i, k, j, x, y);
    }
  }
}

template <int Lanes>
LaneInverse<Lanes> inverse(const LaneBlock<Vector<double, Lanes>>& block) {
  using V = Vector<double, Lanes>;
  LaneInverse<Lanes> found{};
  found.squared_determinant = V{} + 1.0;
  for (int i = 0; i < 6; ++i) found.inverse.re[i][i] = V{} + 1.0;
  LaneBlock<V> a = block;
  V unfit{};
  eliminate<Lanes>(a, found, unfit);
  for (int lane = 0; lane < Lanes; ++lane) {
    if (parallel::lane_of<double, Lanes>(unfit, lane) == 0.0) continue;
    const std::optional<InvertedBlock> one = inverse(block_of<Lanes>(block, lane));
    if (!one) {
      set_lane_of<Lanes>(found.singular, lane, 1.0);
      continue;
    }
    set_lane_of<Lanes>(found.squared_determinant, lane, one->squared_determinant);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        set_lane_of<Lanes>(found.inverse.re[i][j], lane, one->inverse[i][j].real());
        set_lane_of<Lanes>(found.inverse.im[i][j], lane, one->inverse[i][j].imag());
      }
  }
  return found;
}

// Stores the six reals of the diagonal and the 15 complex numbers below it.
template <int Lanes>
void store_block(const LaneBlock<Vector<double, Lanes>>& block, double* to) {
  using V = Vector<double, Lanes>;
  int next = 0;
  const auto put = [&](const V& value) { store_vector<double, Lanes>(to + Lanes * next++, value); };
  for (int i = 0; i < 6; ++i) put(block.re[i][i]);
  for (int i = 1; i < 6; ++i)
    for (int j = 0; j < i; ++j) {
      put(0.5 * (block.re[i][j] + block.re[j][i]));
      put(0.5 * (block.im[i][j] - block.im[j][i]));
    }
}

}  // namespace phasewise::qcd
