#include "numerics/row_batch_fft.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "numerics/butterfly.hpp"

namespace phasewise::numerics {
namespace {

using parallel::Lanes;

// Blocks of this many values take half of a first-level cache of 32 KiB, where they stay while all
// further steps are made.
constexpr int in_first_cache = 16384 / static_cast<int>(sizeof(LanesOfComplex));

// Values between the blocks of a first step, so that these do not meet in the same sets of a cache.
constexpr int gap = 8;

// A backward transform is a forward one with real and imaginary parts exchanged.
template <bool is_forward>
LanesOfComplex read(const LanesOfComplex& value) {
  return is_forward ? value : LanesOfComplex{value.im, value.re};
}
template <bool is_forward>
void write(LanesOfComplex& to, const LanesOfComplex& value) {
  to = is_forward ? value : LanesOfComplex{value.im, value.re};
}

// The values `span` apart from `from` on: forward they are transformed, then multiplied by the
// factors of their place; backward the other way round. `half`: forward the second half of the
// values is zero, and backward only the first half is wanted.
template <int radix, bool is_forward, bool has_factors, bool half = false>
[[gnu::always_inline]] inline void transform_at(const LanesOfComplex* from, LanesOfComplex* to,
                                                int span, int to_span, const double* factors,
                                                const double* roots) {
  constexpr int given = half && is_forward ? radix / 2 : radix;
  constexpr int wanted = half && !is_forward ? radix / 2 : radix;
  LanesOfComplex x[radix];
#pragma GCC unroll 8
  for (int k = 0; k < given; ++k) x[k] = read<is_forward>(from[k * span]);
  if constexpr (has_factors && !is_forward) {
#pragma GCC unroll 8
    for (int k = 1; k < radix; ++k) x[k] = times(x[k], factors + 2 * (k - 1));
  }
  if constexpr (half && is_forward)
    Butterfly<radix>::transform_half(x);
  else
    Butterfly<radix>::transform(x, roots);
  if constexpr (has_factors && is_forward) {
#pragma GCC unroll 8
    for (int k = 1; k < radix; ++k) x[k] = times(x[k], factors + 2 * (k - 1));
  }
#pragma GCC unroll 8
  for (int k = 0; k < wanted; ++k) write<is_forward>(to[k * to_span], x[k]);
}

template <int radix, bool is_forward>
void take_step(int span, int blocks, const double* factors, const double* roots,
               LanesOfComplex* values) {
  if (span == 1) {
    for (int block = 0; block < blocks; ++block) {
      LanesOfComplex* at = values + block * radix;
      transform_at<radix, is_forward, false>(at, at, 1, 1, factors, roots);
    }
    return;
  }
  for (int block = 0; block < blocks; ++block)
    for (int j = 0; j < span; ++j) {
      LanesOfComplex* at = values + block * radix * span + j;
      transform_at<radix, is_forward, true>(at, at, span, span,
                                            factors + std::ptrdiff_t{2} * j * (radix - 1), roots);
    }
}

// Values stand `span` apart in `from` and `to_span` in `to`.
template <int radix, bool is_forward>
void take_half_step(int steps, const double* factors, const LanesOfComplex* from, int span,
                    LanesOfComplex* to, int to_span) {
  for (int j = 0; j < steps; ++j)
    transform_at<radix, is_forward, true, true>(
        from + j, to + j, span, to_span, factors + std::ptrdiff_t{2} * j * (radix - 1), nullptr);
}

// A last step forward, the product with the factors, and the same step backward, for each block.
template <int radix, class Factor>
void convolve_step(int blocks, const double* roots, const Factor* factors, LanesOfComplex* values) {
  for (int block = 0; block < blocks; ++block) {
    LanesOfComplex x[radix], *at = values + block * radix;
    const Factor* factor = factors + block * radix;
#pragma GCC unroll 8
    for (int k = 0; k < radix; ++k) x[k] = at[k];
    Butterfly<radix>::transform(x, roots);
#pragma GCC unroll 8
    for (int k = 0; k < radix; ++k) x[k] = read<false>(times(x[k], factor[k]));
    Butterfly<radix>::transform(x, roots);
#pragma GCC unroll 8
    for (int k = 0; k < radix; ++k) write<false>(at[k], x[k]);
  }
}

// A step of an odd radix that is no constant.
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

// Takes a radix out of n as often as it is a factor, but at most `most` times.
void take_out(int radix, int most, int& n, std::vector<int>& radices) {
  for (int i = 0; i < most && n % radix == 0; ++i, n /= radix) radices.push_back(radix);
}

// An even radix first, so that half of the values can be left out, and eights last, since the last
// step needs no factors. Fours make up what eights leave.
std::vector<int> radices_of(int n, Radices kind) {
  constexpr int all = 32;
  int twos = 0;
  while (n % (2 << twos) == 0) ++twos;
  int eights = 0;
  if (kind == Radices::eights && twos > 1) eights = (twos - (twos % 3 == 1 ? 4 : 0)) / 3;
  const int fours = (twos - 3 * eights) / 2;
  std::vector<int> radices;
  if (fours == 0) take_out(8, std::min(eights, 1), n, radices);
  take_out(4, fours, n, radices);
  take_out(2, twos % 2 == 1 && eights == 0 ? 1 : 0, n, radices);
  std::vector<int> last;
  take_out(8, eights, n, last);
  for (int radix = 3; n > 1; radix += 2) take_out(radix, all, n, radices);
  radices.insert(radices.end(), last.begin(), last.end());
  return radices;
}

void append_power(std::vector<double>& to, std::int64_t power, std::int64_t of) {
  const long double angle = -2.0L * std::numbers::pi_v<long double> *
                            static_cast<long double>(power % of) / static_cast<long double>(of);
  to.push_back(static_cast<double>(std::cos(angle)));
  to.push_back(static_cast<double>(std::sin(angle)));
}

}  // namespace

RowBatchTransform::RowBatchTransform(int n, Radices radices) : n_(n), places_(n) {
  int size = n, blocks = 1;
  for (const int radix : radices_of(n, radices)) {
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
    case 8:
      return take_step<8, is_forward>(step.span, blocks, factors, roots, values);
    default:
      take_any_step<is_forward>(step.radix, step.span, blocks, factors, roots, values);
  }
}

int RowBatchTransform::room_size() const {
  return n_ + (steps_.empty() ? 0 : steps_[0].radix * gap);
}

bool RowBatchTransform::halves(int count) const {
  return !steps_.empty() && steps_[0].radix % 2 == 0 && 2 * count <= n_;
}

// Forward the blocks of `to` are `to_span` apart, and backward those of `from` are `span` apart.
template <bool is_forward>
void RowBatchTransform::take_half(const LanesOfComplex* from, int span, LanesOfComplex* to,
                                  int to_span) const {
  const Step& step = steps_[0];
  const double* factors = factors_.data() + step.factors;
  switch (step.radix) {
    case 2:
      return take_half_step<2, is_forward>(step.span, factors, from, span, to, to_span);
    case 4:
      return take_half_step<4, is_forward>(step.span, factors, from, span, to, to_span);
    default:
      return take_half_step<8, is_forward>(step.span, factors, from, span, to, to_span);
  }
}

// Makes all steps from `first` on for blocks of that step. Blocks are finished one after another
// where they do not stay in the first-level cache together.
template <bool is_forward>
void RowBatchTransform::take_blocks(std::size_t first, int blocks, LanesOfComplex* values) const {
  if (first == steps_.size()) return;
  const Step& step = steps_[first];
  const int size = step.size();
  if (blocks * size <= in_first_cache) {
    const auto make = [&](const Step& each) {
      take<is_forward>(each, blocks * size / each.size(), values);
    };
    if (is_forward)
      for (std::size_t s = first; s < steps_.size(); ++s) make(steps_[s]);
    else
      for (std::size_t s = steps_.size(); s > first; --s) make(steps_[s - 1]);
    return;
  }
  for (int block = 0; block < blocks; ++block) {
    LanesOfComplex* at = values + block * size;
    if (size <= in_first_cache) {
      take_blocks<is_forward>(first, 1, at);
      continue;
    }
    if (is_forward) take<true>(step, 1, at);
    take_blocks<is_forward>(first + 1, step.radix, at);
    if (!is_forward) take<false>(step, 1, at);
  }
}

void RowBatchTransform::forward(LanesOfComplex* values, int given) const {
  const bool half = halves(given);
  std::fill(values + given, values + (half ? n_ / 2 : n_), LanesOfComplex{});
  if (half) take_half<true>(values, steps_[0].span, values, steps_[0].span);
  take_blocks<true>(half ? 1 : 0, half ? steps_[0].radix : 1, values);
}

void RowBatchTransform::backward(LanesOfComplex* values, int wanted) const {
  const bool half = halves(wanted);
  take_blocks<false>(half ? 1 : 0, half ? steps_[0].radix : 1, values);
  if (half) take_half<false>(values, steps_[0].span, values, steps_[0].span);
}

template <class Factor>
void RowBatchTransform::convolve_last(int blocks, const Factor* factors,
                                      LanesOfComplex* values) const {
  const Step& step = steps_.back();
  const double* roots = factors_.data() + step.roots;
  switch (step.radix) {
    case 2:
      return convolve_step<2>(blocks, roots, factors, values);
    case 3:
      return convolve_step<3>(blocks, roots, factors, values);
    case 4:
      return convolve_step<4>(blocks, roots, factors, values);
    case 5:
      return convolve_step<5>(blocks, roots, factors, values);
    case 7:
      return convolve_step<7>(blocks, roots, factors, values);
    case 8:
      return convolve_step<8>(blocks, roots, factors, values);
    default:
      take<true>(step, blocks, values);
      for (int i = 0; i < blocks * step.radix; ++i) values[i] = times(values[i], factors[i]);
      take<false>(step, blocks, values);
  }
}

// As take_blocks, forward down to the last step and back up.
template <class Factor>
void RowBatchTransform::convolve_blocks(std::size_t first, int blocks, const Factor* factors,
                                        LanesOfComplex* values) const {
  const Step& step = steps_[first];
  const int size = step.size();
  if (blocks * size <= in_first_cache) {
    const auto blocks_of = [&](const Step& each) { return blocks * size / each.size(); };
    const std::size_t last = steps_.size() - 1;
    for (std::size_t s = first; s < last; ++s) take<true>(steps_[s], blocks_of(steps_[s]), values);
    convolve_last(blocks_of(steps_[last]), factors, values);
    for (std::size_t s = last; s > first; --s)
      take<false>(steps_[s - 1], blocks_of(steps_[s - 1]), values);
    return;
  }
  for (int block = 0; block < blocks; ++block) {
    LanesOfComplex* at = values + block * size;
    if (size <= in_first_cache) {
      convolve_blocks(first, 1, factors + block * size, at);
      continue;
    }
    take<true>(step, 1, at);
    convolve_blocks(first + 1, step.radix, factors + block * size, at);
    take<false>(step, 1, at);
  }
}

template <class Factor>
void RowBatchTransform::convolve(const LanesOfComplex* from, int count, const Factor* factors,
                                 LanesOfComplex* to, LanesOfComplex* room) const {
  if (steps_.size() > 1 && halves(count) && 2 * count == n_) {
    const Step& first = steps_[0];
    const int apart = first.span + gap;
    take_half<true>(from, first.span, room, apart);
    for (int block = 0; block < first.radix; ++block)
      convolve_blocks(1, 1, factors + block * first.span, room + block * apart);
    return take_half<false>(room, apart, to, first.span);
  }
  std::copy_n(from, count, room);
  forward(room, count);
  for (int place = 0; place < n_; ++place) room[place] = times(room[place], factors[place]);
  backward(room, count);
  std::copy_n(room, count, to);
}

template void RowBatchTransform::convolve(const LanesOfComplex*, int, const Lanes*, LanesOfComplex*,
                                          LanesOfComplex*) const;
template void RowBatchTransform::convolve(const LanesOfComplex*, int, const LanesOfComplex*,
                                          LanesOfComplex*, LanesOfComplex*) const;

}  // namespace phasewise::numerics
