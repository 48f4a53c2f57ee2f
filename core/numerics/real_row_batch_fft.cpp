#include "numerics/real_row_batch_fft.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace phasewise::numerics {
namespace {

LanesOfComplex conjugate(const LanesOfComplex& a) { return {a.re, -a.im}; }

}  // namespace

RealRowBatchTransform::RealRowBatchTransform(int n) : half_(n / 2, Radices::eights) {
  const int half = n / 2;
  for (int k = 0; k < half; ++k) places_.push_back(half_.place_of(k));
  places_.push_back(half);
  for (int k = 1; 2 * k < half; ++k) {
    const long double angle = 2.0L * std::numbers::pi_v<long double> * k / n;
    pairs_.push_back(
        {places_[k],
         places_[half - k],
         {-static_cast<double>(std::sin(angle)), -static_cast<double>(std::cos(angle))}});
  }
  // Neighbours in memory follow each other.
  std::sort(pairs_.begin(), pairs_.end(),
            [](const Pair& a, const Pair& b) { return a.there < b.there; });
}

// With the transform Z of the pairs, the row's is X(k) = (Z(k) + Z*(n/2 - k)) / 2 -
// i exp(-2 π i k / n) (Z(k) - Z*(n/2 - k)) / 2.
void RealRowBatchTransform::forward(LanesOfComplex* values, int given) const {
  half_.forward(values, given);
  const int half = half_.size();
  const LanesOfComplex mean = values[0];
  values[0] = {2.0 * (mean.re + mean.im), parallel::Lanes{}};
  values[half] = {2.0 * (mean.re - mean.im), parallel::Lanes{}};
  for (const Pair& pair : pairs_) {
    const LanesOfComplex a = values[pair.there], b = conjugate(values[pair.opposite]);
    const LanesOfComplex even = a + b, odd = times(a - b, pair.factor.data());
    values[pair.there] = even + odd;
    values[pair.opposite] = conjugate(even - odd);
  }
  if (half % 2 == 0) {
    LanesOfComplex& middle = values[places_[half / 2]];
    middle = {2.0 * middle.re, -2.0 * middle.im};
  }
}

void RealRowBatchTransform::backward(LanesOfComplex* values, int wanted) const {
  const int half = half_.size();
  const parallel::Lanes first = values[0].re, last = values[half].re;
  values[0] = {first + last, first - last};
  for (const Pair& pair : pairs_) {
    const LanesOfComplex a = values[pair.there], b = conjugate(values[pair.opposite]);
    const std::array<double, 2> factor = {pair.factor[0], -pair.factor[1]};
    const LanesOfComplex even = a + b, odd = times(a - b, factor.data());
    values[pair.there] = even + odd;
    values[pair.opposite] = conjugate(even - odd);
  }
  if (half % 2 == 0) {
    LanesOfComplex& middle = values[places_[half / 2]];
    middle = {2.0 * middle.re, -2.0 * middle.im};
  }
  half_.backward(values, wanted);
}

}  // namespace phasewise::numerics
