// exp A of traceless anti-Hermitian 3 × 3 matrices. By the theorem of Cayley and Hamilton, A³ = e A
// + d with e = tr A²/2 and d = det A, every power of A is a combination of 1, A and A²; Horner's
// rule for the series therefore works on three numbers.
#pragma once

#include <limits>

#include "qcd/gauge/colour_matrix.hpp"

namespace phasewise::qcd {

// A matrix whose squared elements add up to this has no eigenvalue above 1.7; the terms that are
// left out are far below rounding, 1.7²⁵/25! < 1e-19. Larger matrices are halved before, and the
// exponential is squared as often.
inline constexpr double largest_square = 4.0;
inline constexpr int exponential_terms = 24;
// One product, twelve a term of the series, and norm, traces and combination.
inline constexpr double exponential_flops = 198.0 + exponential_terms * 12.0 + 204.0;

// Whether a lane has a finite value above the limit.
template <class V, int Lanes>
bool any_above(const V& value, double limit) {
  for (int lane = 0; lane < Lanes; ++lane) {
    const double one = parallel::lane_of<double, Lanes>(value, lane);
    if (one > limit && one <= std::numeric_limits<double>::max()) return true;
  }
  return false;
}

// p0 + p1 A + p2 A².
template <class V>
struct QuadraticInMatrix {
  V re[3], im[3];
};

template <class V>
QuadraticInMatrix<V> exponential_series(const V& half_trace, const V& determinant) {
  using parallel::fused;
  QuadraticInMatrix<V> p{};
  p.re[0] = V{} + 1.0;
  for (int k = exponential_terms; k > 0; --k) {
    const double share = 1.0 / k;
    const V re0 = fused(-determinant * share, p.im[2], V{} + 1.0);
    const V im0 = determinant * share * p.re[2];
    const V re1 = share * fused(half_trace, p.re[2], p.re[0]);
    const V im1 = share * fused(half_trace, p.im[2], p.im[0]);
    p.re[2] = share * p.re[1];
    p.im[2] = share * p.im[1];
    p.re[1] = re1;
    p.im[1] = im1;
    p.re[0] = re0;
    p.im[0] = im0;
  }
  return p;
}

template <int Lanes>
ColourMatrix<parallel::Vector<double, Lanes>> exponential(
    ColourMatrix<parallel::Vector<double, Lanes>> a) {
  using V = parallel::Vector<double, Lanes>;
  using parallel::fused;
  V square{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      square = fused(a.im[i][j], a.im[i][j], fused(a.re[i][j], a.re[i][j], square));
  V halvings{}, factor = V{} + 1.0;
  int most = 0;
  for (; any_above<V, Lanes>(square, largest_square); ++most) {
    const auto large = square > largest_square;
    halvings = large ? halvings + 1.0 : halvings;
    factor = large ? 0.5 * factor : factor;
    square = large ? 0.25 * square : square;
  }
  if (most > 0) scale(a, factor);
  const ColourMatrix<V> squared = product(a, a);
  // det A is imaginary, and tr A³ = 3 det A.
  V cubed{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      cubed = fused(squared.im[i][j], a.re[j][i], fused(squared.re[i][j], a.im[j][i], cubed));
  const V half_trace = 0.5 * (squared.re[0][0] + squared.re[1][1] + squared.re[2][2]);
  const QuadraticInMatrix<V> p = exponential_series<V>(half_trace, cubed / 3.0);
  ColourMatrix<V> found;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const V x = a.re[i][j], y = a.im[i][j], u = squared.re[i][j], v = squared.im[i][j];
      found.re[i][j] = fused(-p.im[2], v, fused(p.re[2], u, fused(-p.im[1], y, p.re[1] * x)));
      found.im[i][j] = fused(p.im[2], u, fused(p.re[2], v, fused(p.im[1], x, p.re[1] * y)));
    }
  for (int i = 0; i < 3; ++i) {
    found.re[i][i] += p.re[0];
    found.im[i][i] += p.im[0];
  }
  for (int done = 0; done < most; ++done) {
    const ColourMatrix<V> doubled = product(found, found);
    const auto goes_on = halvings > static_cast<double>(done);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        found.re[i][j] = goes_on ? doubled.re[i][j] : found.re[i][j];
        found.im[i][j] = goes_on ? doubled.im[i][j] : found.im[i][j];
      }
  }
  return found;
}

}  // namespace phasewise::qcd
