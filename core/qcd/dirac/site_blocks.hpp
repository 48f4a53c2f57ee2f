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

// The element of a row that has only one: i to this power.
struct GammaRow {
  int column, power;
};
// Of γ_µ.
constexpr GammaRow gamma_row(int axis, int row) {
  if (row < 2) return {gamma_partner[axis][row], gamma_power[axis][row]};
  const int a = gamma_partner[axis][0] == row ? 0 : 1;
  return {a, (4 - gamma_power[axis][a]) & 3};
}
// Of γ_µ γ_ν, which leaves the chirality as it is.
constexpr GammaRow gamma_product_row(int mu, int nu, int row) {
  const GammaRow first = gamma_row(mu, row), second = gamma_row(nu, first.column);
  return {second.column, (first.power + second.power) & 3};
}

using Block = std::array<std::array<std::complex<double>, 6>, 6>;

struct InvertedBlock {
  Block inverse;
  double squared_determinant;
};

// Elimination with pivots, since a block need not be positive; none if the block is singular to
// rounding.
inline std::optional<InvertedBlock> inverse(Block a) {
  InvertedBlock found{{}, 1.0};
  Block& b = found.inverse;
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
    found.squared_determinant *= std::norm(a[k][k]);
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
  return found;
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
