#include "sphere/legendre_functions.hpp"

#include <algorithm>

#include "parallel/simd.hpp"

namespace phasewise::sphere {
namespace {

constexpr long double least = 0x1p-900L;

// P_mm(0): the square root of 1/2 Π (2k+1)/(2k).
long double first_factor(int m) {
  long double square = 0.5L;
  for (int k = 1; k <= m; ++k) square *= (2.0L * k + 1.0L) / (2.0L * k);
  return std::sqrt(square);
}

}  // namespace

LegendreRecurrence::LegendreRecurrence(std::span<const double> sines)
    : sine_(sines.begin(), sines.end()),
      before_(sines.size()),
      here_(sines.size()),
      beginnings_(sines.size()) {}

// At high orders the first degrees near the poles lie below the range of doubles, and long double
// follows them.
LegendreRecurrence::Beginning LegendreRecurrence::beginning_of(double sine, long double first,
                                                               int m, int top) const {
  long double before = 0.0L, here = first;
  int l = m;
  for (; l <= top && std::fabs(here) < least; ++l) {
    const long double next =
        (sine * here - epsilon(l, m) * before) / static_cast<long double>(epsilon(l + 1, m));
    before = here;
    here = next;
  }
  return {l, static_cast<double>(before), static_cast<double>(here)};
}

void LegendreRecurrence::write(int m, int top, double* values) {
  const std::size_t n = sine_.size();
  const long double factor = first_factor(m);
  int last = m;  // the degree at which the last latitude begins
  for (std::size_t j = 0; j < n; ++j) {
    const long double sine = sine_[j], cosine = std::sqrt((1.0L - sine) * (1.0L + sine));
    beginnings_[j] = beginning_of(sine_[j], factor * std::pow(cosine, m), m, top);
    last = std::max(last, std::min(beginnings_[j].degree, top));
    before_[j] = here_[j] = 0.0;
  }
  for (int l = m; l <= top; ++l, values += n) {
    if (l <= last)
      for (std::size_t j = 0; j < n; ++j)
        if (beginnings_[j].degree == l) {
          before_[j] = beginnings_[j].before;
          here_[j] = beginnings_[j].here;
        }
    const double next = 1.0 / epsilon(l + 1, m), drop = epsilon(l, m) * next;
    for (std::size_t j = 0; j < n; ++j) {
      const double here = here_[j];
      values[j] = here;
      here_[j] = parallel::fused(next * sine_[j], here, -(drop * before_[j]));
      before_[j] = here;
    }
  }
}

}  // namespace phasewise::sphere
