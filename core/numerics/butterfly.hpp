// Transforms of a few complex values, of which RowBatchTransform makes its steps. Flops of a row:
// 4 for a transform of two, 16 for four, 60 for eight.
#pragma once

#include <algorithm>

#include "numerics/lanes_of_complex.hpp"
#include "parallel/macros.hpp"

namespace phasewise::numerics {

// The transform of r values x, r odd, in place; y has room for as many.
//   y(j) = x(0) + Σ cos(2πjk/r) (x(k) + x(r-k)) - i Σ sin(2πjk/r) (x(k) - x(r-k)), 1 ≤ k ≤ r/2.
[[gnu::always_inline]] inline void transform_odd(LanesOfComplex* x, LanesOfComplex* y, int r,
                                                 const double* roots) {
  const int half = r / 2;
  y[0] = x[0];
  for (int k = 1; k <= half; ++k) {
    const LanesOfComplex sum = x[k] + x[r - k];
    x[r - k] = turned(x[k] - x[r - k]);
    x[k] = sum;
    y[0] = y[0] + sum;
  }
  for (int j = 1; j <= half; ++j) {
    LanesOfComplex even = x[0], odd{};
    for (int k = 1; k <= half; ++k) {
      const double* root = roots + 2 * (j * k % r);
      const parallel::Lanes cosine = parallel::all_lanes<double, parallel::lanes>(root[0]);
      const parallel::Lanes sine = parallel::all_lanes<double, parallel::lanes>(-root[1]);
      even = {parallel::fused(x[k].re, cosine, even.re), parallel::fused(x[k].im, cosine, even.im)};
      odd = {parallel::fused(x[r - k].re, sine, odd.re),
             parallel::fused(x[r - k].im, sine, odd.im)};
    }
    y[j] = even + odd;
    y[r - j] = even - odd;
  }
  std::copy_n(y, r, x);
}

// The transform of `radix` values in place. `transform_half` is that of values whose second half is
// zero.
template <int radix>
struct Butterfly {
  static_assert(radix % 2 == 1);
  static void transform(LanesOfComplex* x, const double* roots) {
    LanesOfComplex y[radix];
    transform_odd(x, y, radix, roots);
  }
};

template <>
struct Butterfly<2> {
  PHASEWISE_HD static void transform(LanesOfComplex* x, const double* /*roots*/) {
    const LanesOfComplex sum = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = sum;
  }
  PHASEWISE_HD static void transform_half(LanesOfComplex* x) { x[1] = x[0]; }
};

template <>
struct Butterfly<4> {
  PHASEWISE_HD static void transform(LanesOfComplex* x, const double* /*roots*/) {
    const LanesOfComplex sum = x[0] + x[2], difference = x[0] - x[2];
    const LanesOfComplex others = x[1] + x[3], turn = turned(x[1] - x[3]);
    x[0] = sum + others;
    x[1] = difference + turn;
    x[2] = sum - others;
    x[3] = difference - turn;
  }
  PHASEWISE_HD static void transform_half(LanesOfComplex* x) {
    const LanesOfComplex sum = x[0], others = x[1], turn = turned(x[1]);
    x[0] = sum + others;
    x[1] = sum + turn;
    x[2] = sum - others;
    x[3] = sum - turn;
  }
};

// Sums and differences of values four apart have the even and the odd frequencies. The factors √½
// of the odd ones are left to the last, fused additions.
template <>
struct Butterfly<8> {
  PHASEWISE_HD static void transform(LanesOfComplex* x, const double* /*roots*/) {
    LanesOfComplex sum[4], difference[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      sum[k] = x[k] + x[k + 4];
      difference[k] = x[k] - x[k + 4];
    }
    find(sum, difference, x);
  }
  PHASEWISE_HD static void transform_half(LanesOfComplex* x) {
    LanesOfComplex first[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) first[k] = x[k];
    find(first, first, x);
  }

 private:
  // a + √½ b and a - √½ b.
  PHASEWISE_HD static void add(const LanesOfComplex& a, const LanesOfComplex& b,
                               LanesOfComplex& sum, LanesOfComplex& difference) {
    const parallel::Lanes root = parallel::all_lanes<double, parallel::lanes>(0.70710678118654752);
    sum = {parallel::fused(b.re, root, a.re), parallel::fused(b.im, root, a.im)};
    difference = {parallel::fused(b.re, -root, a.re), parallel::fused(b.im, -root, a.im)};
  }
  PHASEWISE_HD static void find(const LanesOfComplex* even, const LanesOfComplex* odd,
                                LanesOfComplex* x) {
    const LanesOfComplex middle = turned(odd[2]), first = odd[0] + middle, last = odd[0] - middle;
    // (1 - i) odd[1] and -(1 + i) odd[3].
    const LanesOfComplex one = {odd[1].re + odd[1].im, odd[1].im - odd[1].re};
    const parallel::Lanes three_re = odd[3].im - odd[3].re, minus_three_im = odd[3].re + odd[3].im;
    const LanesOfComplex others = {one.re + three_re, one.im - minus_three_im};
    const LanesOfComplex turn = turned({one.re - three_re, one.im + minus_three_im});
    LanesOfComplex fours[4] = {even[0], even[1], even[2], even[3]};
    Butterfly<4>::transform(fours, nullptr);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) x[2 * k] = fours[k];
    add(first, others, x[1], x[5]);
    add(last, turn, x[3], x[7]);
  }
};

}  // namespace phasewise::numerics
