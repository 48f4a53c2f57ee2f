// The state's tendencies from the coefficients of products on the grid, for one wavenumber (Hack,
// Jakob, NCAR/TN-343+STR, 1992).
//
// With U = u cos φ and V = v cos φ the products on the grid are A = U η / cos² φ, B = V η / cos² φ,
// C = U Φ / cos² φ, D = V Φ / cos² φ, and K = (U² + V²) / 2 cos² φ + Φ_s. Then
//   ∂ζ/∂t = (-im A + H B) / a,   ∂δ/∂t = (im B + H A) / a - ∇² (K + Φ),
//   ∂Φ/∂t = (-im C + H D) / a - Φ₀ δ,
// where H takes the derivative by parts, through (1 - μ²) dP(l)/dμ = (l+1) ε(l) P(l-1)
// - l ε(l+1) P(l+1): (H B)(l) = (l+1) ε(l) B(l-1) - l ε(l+1) B(l+1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numerics/order_free_sum.hpp"
#include "sphere/description.hpp"
#include "sphere/spectral.hpp"

namespace phasewise::sphere {

// The rounding offsets of sums without rounding, for each field and level of the state
// (numerics/order_free_sum.hpp); none: sums are not exact.
struct ExactGrids {
  std::vector<double> high_offsets, low_offsets;

  bool empty() const { return high_offsets.empty(); }
  void add(const numerics::OrderFreeGrid& grid) {
    high_offsets.push_back(grid.high_offset);
    low_offsets.push_back(grid.low_offset);
  }
};

// What the coefficients of products mean.
enum class Meaning : std::uint8_t {
  tendencies,  // of vorticity, divergence and geopotential
  initial      // A = -v, B = u over cos φ, C = Φ, K = 0: the state itself
};

// The factors of a coefficient: m / a, those of the neighbours in H, and of the Laplacian.
struct ProductFactors {
  double along, down, up, laplacian;
};
// For degrees m … M.
std::vector<ProductFactors> product_factors(const Description& description, int m);

// from[l - m][products][re, im][level], degrees m … M + 1, to to[l - m][state][re, im][level],
// degrees m … M, whose factors are given. Without `grids`, `to` is set. With them, one for each
// field and level, the values are added without rounding to sums
// [l - m][high, low][state][re, im][level].
void combine(const Description& description, std::span<const ProductFactors> factors,
             const double* from, Meaning meaning, const ExactGrids& grids, double* to);

// Bounds on what `combine` makes of `count` pairs whose weighted columns are at most largest
// [product][level], for each field and level of the state.
std::vector<double> bounds_of(const Description& description, std::span<const double> largest,
                              int count, Meaning meaning);

}  // namespace phasewise::sphere
