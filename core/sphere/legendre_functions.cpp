#include "sphere/legendre_functions.hpp"

#include <algorithm>

#include "parallel/simd.hpp"

namespace phasewise::sphere {
namespace {

using parallel::Lanes;
using parallel::lanes;

constexpr long double least = 0x1p-900L;

// P_mm(0): the square root of 1/2 Π (2k+1)/(2k).
long double first_factor(int m) {
  long double square = 0.5L;
  for (int k = 1; k <= m; ++k) square *= (2.0L * k + 1.0L) / (2.0L * k);
  return std::sqrt(square);
}

}  // namespace

LegendreRecurrence::LegendreRecurrence(std::span<const double> sines, std::span<const int> orders,
                                       int top)
    : sine_(sines.begin(), sines.end()), orders_(orders.begin(), orders.end()), top_(top) {
  beginnings_.reserve(orders.size() * sines.size());
  for (const int m : orders) {
    const long double factor = first_factor(m);
    for (const double sine : sines) {
      const long double wide = sine, cosine = std::sqrt((1.0L - wide) * (1.0L + wide));
      beginnings_.push_back(beginning_of(sine, factor * std::pow(cosine, m), m));
    }
  }
}

// At high orders the first degrees near the poles lie below the range of doubles, and long double
// follows them.
LegendreRecurrence::Beginning LegendreRecurrence::beginning_of(double sine, long double first,
                                                               int m) const {
  long double before = 0.0L, here = first;
  int l = m;
  for (; l <= top_ && std::fabs(here) < least; ++l) {
    const long double next =
        (sine * here - epsilon(l, m) * before) / static_cast<long double>(epsilon(l + 1, m));
    before = here;
    here = next;
  }
  return {l, static_cast<double>(before), static_cast<double>(here)};
}

template <int vectors>
void LegendreRecurrence::write_block(const Beginning* beginnings, int m,
                                     std::span<const double> factors, std::size_t first,
                                     std::size_t count, double* values) const {
  double sine[vectors * lanes] = {}, before[vectors * lanes] = {}, here[vectors * lanes] = {};
  int last = m;  // the degree at which the last latitude begins
  for (std::size_t j = 0; j < count; ++j) {
    sine[j] = sine_[first + j];
    last = std::max(last, beginnings[first + j].degree);
  }
  Lanes x[vectors], p0[vectors] = {}, p1[vectors] = {};
  for (int v = 0; v < vectors; ++v) x[v] = parallel::load(sine + v * lanes);
  for (int l = m; l <= top_; ++l, values += sine_.size()) {
    if (l <= last) {
      for (int v = 0; v < vectors; ++v) {
        parallel::store(before + v * lanes, p0[v]);
        parallel::store(here + v * lanes, p1[v]);
      }
      for (std::size_t j = 0; j < count; ++j)
        if (beginnings[first + j].degree == l) {
          before[j] = beginnings[first + j].before;
          here[j] = beginnings[first + j].here;
        }
      for (int v = 0; v < vectors; ++v) {
        p0[v] = parallel::load(before + v * lanes);
        p1[v] = parallel::load(here + v * lanes);
      }
    }
    const Lanes next = parallel::all_lanes<double, lanes>(factors[2 * (l - m)]);
    const Lanes drop = parallel::all_lanes<double, lanes>(factors[2 * (l - m) + 1]);
    if (count == vectors * lanes) {
      for (int v = 0; v < vectors; ++v) parallel::store(values + first + v * lanes, p1[v]);
    } else {
      for (int v = 0; v < vectors; ++v) parallel::store(here + v * lanes, p1[v]);
      std::copy_n(here, count, values + first);
    }
    for (int v = 0; v < vectors; ++v) {
      const Lanes after = parallel::fused(next * x[v], p1[v], -(drop * p0[v]));
      p0[v] = p1[v];
      p1[v] = after;
    }
  }
}

void LegendreRecurrence::write(std::size_t place, double* values) const {
  const std::size_t n = sine_.size();
  const int m = orders_[place];
  const Beginning* beginnings = beginnings_.data() + place * n;
  std::vector<double> factors;
  factors.reserve(2 * static_cast<std::size_t>(top_ - m + 1));
  for (int l = m; l <= top_; ++l) {
    const double next = 1.0 / epsilon(l + 1, m);
    factors.push_back(next);
    factors.push_back(epsilon(l, m) * next);
  }
  constexpr std::size_t block = 4 * lanes;
  for (std::size_t first = 0; first < n; first += block)
    write_block<4>(beginnings, m, factors, first, std::min(block, n - first), values);
}

}  // namespace phasewise::sphere
