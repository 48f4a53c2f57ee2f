#include "numerics/row_batch_fft.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace phasewise::numerics {
namespace {

using parallel::all_lanes;
using parallel::fused;
using parallel::Lanes;
using parallel::lanes;

// Blocks of this many values take half of a first-level cache of 32 KiB, where they stay while all
// further steps are made.
constexpr int in_first_cache = 16384 / static_cast<int>(sizeof(LanesOfComplex));

LanesOfComplex operator+(const LanesOfComplex& a, const LanesOfComplex& b) {
  return {a.re + b.re, a.im + b.im};
}
LanesOfComplex operator-(const LanesOfComplex& a, const LanesOfComplex& b) {
  return {a.re - b.re, a.im - b.im};
}
// -i times a value.
LanesOfComplex turned(const LanesOfComplex& a) { return {a.im, -a.re}; }

LanesOfComplex times(const LanesOfComplex& a, const double* factor) {
  const Lanes re = all_lanes<double, lanes>(factor[0]), im = all_lanes<double, lanes>(factor[1]);
  return {fused(a.re, re, -(a.im * im)), fused(a.re, im, a.im * re)};
}

// A backward transform is a forward one with real and imaginary parts exchanged.
template <bool is_forward>
LanesOfComplex read(const LanesOfComplex& value) {
  return is_forward ? value : LanesOfComplex{value.im, value.re};
}
template <bool is_forward>
void write(LanesOfComplex& to, const LanesOfComplex& value) {
  to = is_forward ? value : LanesOfComplex{value.im, value.re};
}

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
      const Lanes cosine = all_lanes<double, lanes>(root[0]);
      const Lanes sine = all_lanes<double, lanes>(-root[1]);
      even = {fused(x[k].re, cosine, even.re), fused(x[k].im, cosine, even.im)};
      odd = {fused(x[r - k].re, sine, odd.re), fused(x[r - k].im, sine, odd.im)};
    }
    y[j] = even + odd;
    y[r - j] = even - odd;
  }
  std::copy_n(y, r, x);
}

// The transform of `radix` values in place.
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
  static void transform(LanesOfComplex* x, const double* /*roots*/) {
    const LanesOfComplex sum = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = sum;
  }
};

template <>
struct Butterfly<4> {
  static void transform(LanesOfComplex* x, const double* /*roots*/) {
    const LanesOfComplex sum = x[0] + x[2], difference = x[0] - x[2];
    const LanesOfComplex others = x[1] + x[3], turn = turned(x[1] - x[3]);
    x[0] = sum + others;
    x[1] = difference + turn;
    x[2] = sum - others;
    x[3] = difference - turn;
  }
};

// The values `span` apart from `at` on: forward they are transformed, then multiplied by the
// factors of their place; backward the other way round.
template <int radix, bool is_forward, bool has_factors>
[[gnu::always_inline]] inline void transform_at(LanesOfComplex* at, int span, const double* factors,
                                                const double* roots) {
  LanesOfComplex x[radix];
#pragma GCC unroll 8
  for (int k = 0; k < radix; ++k) x[k] = read<is_forward>(at[k * span]);
  if constexpr (has_factors && !is_forward) {
#pragma GCC unroll 8
    for (int k = 1; k < radix; ++k) x[k] = times(x[k], factors + 2 * (k - 1));
  }
  Butterfly<radix>::transform(x, roots);
  if constexpr (has_factors && is_forward) {
#pragma GCC unroll 8
    for (int k = 1; k < radix; ++k) x[k] = times(x[k], factors + 2 * (k - 1));
  }
#pragma GCC unroll 8
  for (int k = 0; k < radix; ++k) write<is_forward>(at[k * span], x[k]);
}

template <int radix, bool is_forward>
void take_step(int span, int blocks, const double* factors, const double* roots,
               LanesOfComplex* values) {
  if (span == 1) {
    for (int block = 0; block < blocks; ++block)
      transform_at<radix, is_forward, false>(values + block * radix, 1, factors, roots);
    return;
  }
  for (int block = 0; block < blocks; ++block)
    for (int j = 0; j < span; ++j)
      transform_at<radix, is_forward, true>(values + block * radix * span + j, span,
                                            factors + std::ptrdiff_t{2} * j * (radix - 1), roots);
}

// The same for an odd radix that is no constant.
template <bool is_forward>
void take_any_step(int radix, int span, int blocks, const double* factors, const double* roots,
                   LanesOfComplex* values) {
  std::vector<LanesOfComplex> x(radix), y(radix);
  for (int block = 0; block < blocks; ++block)
    for (int j = 0; j < span; ++j) {
      LanesOfComplex* at = values + block * radix * span + j;
      const double* own = factors + std::ptrdiff_t{2} * j * (radix - 1);
      for (int k = 0; k < radix; ++k) {
        x[k] = read<is_forward>(at[k * span]);
        if (!is_forward && k > 0) x[k] = times(x[k], own + 2 * (k - 1));
      }
      transform_odd(x.data(), y.data(), radix, roots);
      for (int k = 0; k < radix; ++k) {
        if (is_forward && k > 0) x[k] = times(x[k], own + 2 * (k - 1));
        write<is_forward>(at[k * span], x[k]);
      }
    }
}

// Fours first: they need fewest operations.
std::vector<int> radices_of(int n) {
  std::vector<int> radices;
  for (int radix = 4; n > 1;) {
    if (n % radix == 0) {
      radices.push_back(radix);
      n /= radix;
    } else {
      radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2;
    }
  }
  return radices;
}

void append_power(std::vector<double>& to, std::int64_t power, std::int64_t of) {
  const long double angle = -2.0L * std::numbers::pi_v<long double> *
                            static_cast<long double>(power % of) / static_cast<long double>(of);
  to.push_back(static_cast<double>(std::cos(angle)));
  to.push_back(static_cast<double>(std::sin(angle)));
}

}  // namespace

RowBatchTransform::RowBatchTransform(int n) : n_(n), places_(n) {
  int size = n, blocks = 1;
  for (const int radix : radices_of(n)) {
    const int span = size / radix;
    Step step{radix, span, std::ssize(factors_), 0};
    for (std::int64_t j = 0; j < span; ++j)
      for (int k = 1; k < radix; ++k) append_power(factors_, j * k, size);
    step.roots = std::ssize(factors_);
    for (int k = 0; k < radix; ++k) append_power(factors_, k, radix);
    steps_.push_back(step);
    // The frequency's digits are found from the lowest one on.
    for (int frequency = 0; frequency < n; ++frequency)
      places_[frequency] += frequency / blocks % radix * span;
    blocks *= radix;
    size = span;
  }
}

template <bool is_forward>
void RowBatchTransform::take(const Step& step, int blocks, LanesOfComplex* values) const {
  const double *factors = factors_.data() + step.factors, *roots = factors_.data() + step.roots;
  switch (step.radix) {
    case 2:
      return take_step<2, is_forward>(step.span, blocks, factors, roots, values);
    case 3:
      return take_step<3, is_forward>(step.span, blocks, factors, roots, values);
    case 4:
      return take_step<4, is_forward>(step.span, blocks, factors, roots, values);
    case 5:
      return take_step<5, is_forward>(step.span, blocks, factors, roots, values);
    case 7:
      return take_step<7, is_forward>(step.span, blocks, factors, roots, values);
    default:
      take_any_step<is_forward>(step.radix, step.span, blocks, factors, roots, values);
  }
}

// Makes all steps from `first` on for a block of that step. Large blocks are finished one after
// another.
template <bool is_forward>
void RowBatchTransform::take_from(std::size_t first, LanesOfComplex* values) const {
  const Step& step = steps_[first];
  if (step.span * step.radix > in_first_cache) {
    if (is_forward) take<true>(step, 1, values);
    if (step.span > 1)
      for (int block = 0; block < step.radix; ++block)
        take_from<is_forward>(first + 1, values + block * step.span);
    if (!is_forward) take<false>(step, 1, values);
    return;
  }
  const int size = step.span * step.radix;
  const auto make = [&](const Step& each) {
    take<is_forward>(each, size / (each.span * each.radix), values);
  };
  if (is_forward)
    for (std::size_t s = first; s < steps_.size(); ++s) make(steps_[s]);
  else
    for (std::size_t s = steps_.size(); s > first; --s) make(steps_[s - 1]);
}

void RowBatchTransform::forward(LanesOfComplex* values) const {
  if (!steps_.empty()) take_from<true>(0, values);
}

void RowBatchTransform::backward(LanesOfComplex* values) const {
  if (!steps_.empty()) take_from<false>(0, values);
}

}  // namespace phasewise::numerics
