// The part of the Dirac operator within a site, A = m + iµγ₅ + clover term: two Hermitian 6 × 6
// blocks per site, one for each chirality, and their inverses. The clover term is
//   c (i/4) Σ_µν σ_µν F_µν = -(c/2) Σ_µ<ν γ_µ γ_ν F_µν,  σ = (i/2) [γ_µ, γ_ν].
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>

#include "numerics/complex_product.hpp"
#include "qcd/dirac/spin.hpp"

namespace phasewise::qcd {

using numerics::complex_product;

inline constexpr int block_size_of_spin = 6, block_reals = 36, site_block_reals = 72;
inline constexpr int planes = 6;  // xy xz xt yz yt zt

using Block = std::array<std::array<std::complex<double>, 6>, 6>;

// i to this power; row a of A_µ has one element, and this is its value.
inline std::complex<double> power_of_i(int power) {
  constexpr std::complex<double> values[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  return values[power & 3];
}

// γ_µ in full.
inline std::complex<double> gamma_element(int axis, int row, int column) {
  for (int a = 0; a < 2; ++a) {
    const int partner = gamma_partner[axis][a];
    if (row == a && column == partner) return power_of_i(gamma_power[axis][a]);
    if (row == partner && column == a) return power_of_i(-gamma_power[axis][a]);
  }
  return 0.0;
}

// The block of a chirality (0: spins 0 and 1). `strength` is [plane][3][3] of a site; `weights` has
// c of each plane.
inline Block clover_block(int chirality, double diagonal, const double* strength,
                          const std::array<double, planes>& weights) {
  Block block{};
  for (int i = 0; i < 6; ++i) block[i][i] = diagonal;
  int plane = 0;
  for (int mu = 0; mu < axes; ++mu)
    for (int nu = mu + 1; nu < axes; ++nu, ++plane)
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
          std::complex<double> spin = 0.0;
          for (int s = 0; s < spins; ++s)
            spin += complex_product(gamma_element(mu, 2 * chirality + i / 3, s),
                                    gamma_element(nu, s, 2 * chirality + j / 3));
          const double* f = strength + ((plane * 3 + i % 3) * 3 + j % 3) * 2;
          block[i][j] -= complex_product(0.5 * weights[plane] * spin, {f[0], f[1]});
        }
  return block;
}

// Elimination with pivots, since a block need not be positive; none if the block is singular to
// rounding.
inline std::optional<Block> inverse(Block a) {
  Block b{};
  double largest = 0.0;
  for (int i = 0; i < 6; ++i) {
    b[i][i] = 1.0;
    for (int j = 0; j < 6; ++j) largest = std::max(largest, std::abs(a[i][j]));
  }
  for (int k = 0; k < 6; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 6; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    if (!(std::abs(a[pivot][k]) > 1e-14 * largest)) return std::nullopt;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    const std::complex<double> scale = 1.0 / a[k][k];
    for (int j = 0; j < 6; ++j) {
      a[k][j] = complex_product(a[k][j], scale);
      b[k][j] = complex_product(b[k][j], scale);
    }
    for (int i = 0; i < 6; ++i) {
      if (i == k) continue;
      const std::complex<double> factor = a[i][k];
      for (int j = 0; j < 6; ++j) {
        a[i][j] -= complex_product(factor, a[k][j]);
        b[i][j] -= complex_product(factor, b[k][j]);
      }
    }
  }
  return b;
}

// A bound of the norm of a matrix: the root of the sum of its elements' squares.
inline double norm_bound(const Block& a) {
  double sum = 0.0;
  for (const auto& row : a)
    for (const std::complex<double>& element : row) sum += std::norm(element);
  return std::sqrt(sum);
}

// a² + µ².
inline Block squared(const Block& a, double mu) {
  Block b{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      for (int k = 0; k < 6; ++k) b[i][j] += complex_product(a[i][k], a[k][j]);
      if (i == j) b[i][j] += mu * mu;
    }
  return b;
}

// Stores the six reals of the diagonal and the 15 complex numbers below it, `stride` reals apart.
template <class Real>
void store_block(const Block& block, Real* to, int stride) {
  int next = 0;
  for (int i = 0; i < 6; ++i) to[stride * next++] = static_cast<Real>(block[i][i].real());
  for (int i = 1; i < 6; ++i)
    for (int j = 0; j < i; ++j) {
      const std::complex<double> value = 0.5 * (block[i][j] + std::conj(block[j][i]));
      to[stride * next++] = static_cast<Real>(value.real());
      to[stride * next++] = static_cast<Real>(value.imag());
    }
}

// (block + i twist) v; real(n) gives the block's numbers as store_block stores them.
template <class T, class F>
PHASEWISE_HD void times_block(F&& real, T twist, const ComplexOf<T>* v, ComplexOf<T>* product) {
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    const T d = real(i);
    ComplexOf<T> sum{fused(-twist, v[i].im, d * v[i].re), fused(twist, v[i].re, d * v[i].im)};
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) {
      if (j == i) continue;
      const bool below = j < i;
      const int n = 6 + 2 * (below ? i * (i - 1) / 2 + j : j * (j - 1) / 2 + i);
      const T re = real(n), im = below ? real(n + 1) : -real(n + 1);
      sum.re = fused(-im, v[j].im, fused(re, v[j].re, sum.re));
      sum.im = fused(im, v[j].re, fused(re, v[j].im, sum.im));
    }
    product[i] = sum;
  }
}

}  // namespace phasewise::qcd
