#include "sphere/legendre_functions.hpp"

#include <algorithm>
#include <limits>

#include "parallel/simd.hpp"

namespace phasewise::sphere {
namespace {

using parallel::Lanes;
using parallel::lanes;

constexpr long double least = 0x1p-100L;

// P_mm(0): the square root of 1/2 Π (2k+1)/(2k).
long double first_factor(int m) {
  long double square = 0.5L;
  for (int k = 1; k <= m; ++k) square *= (2.0L * k + 1.0L) / (2.0L * k);
  return std::sqrt(square);
}

}  // namespace

LegendreRecurrence::LegendreRecurrence(std::span<const double> sines, std::span<const int> orders,
                                       int top)
    : sine_(sines.begin(), sines.end()), orders_(orders.begin(), orders.end()), step_begins_{0} {
  beginnings_.reserve(orders.size() * sines.size());
  std::vector<double> epsilons;
  for (const int m : orders) {
    epsilons.clear();
    for (int l = m; l <= top + 1; ++l) epsilons.push_back(epsilon(l, m));
    for (std::size_t i = 0; i + 1 < epsilons.size(); ++i) {
      const double next = 1.0 / epsilons[i + 1];
      steps_.push_back({next, epsilons[i] * next});
    }
    step_begins_.push_back(steps_.size());
    const long double factor = first_factor(m);
    for (const double sine : sines) {
      const long double wide = sine, cosine = std::sqrt((1.0L - wide) * (1.0L + wide));
      beginnings_.push_back(beginning_of(sine, factor * std::pow(cosine, m), m, epsilons));
    }
  }
}

// At high orders the first degrees near the poles are negligible, or lie below the range of
// doubles, and long double follows them. `epsilons` are those of degrees m … top + 1.
LegendreRecurrence::Beginning LegendreRecurrence::beginning_of(double sine, long double first,
                                                               int m,
                                                               std::span<const double> epsilons) {
  long double before = 0.0L, here = first;
  std::size_t i = 0;
  for (; i + 1 < epsilons.size() && std::fabs(here) < least; ++i) {
    const long double next =
        (sine * here - epsilons[i] * before) / static_cast<long double>(epsilons[i + 1]);
    before = here;
    here = next;
  }
  return {m + static_cast<int>(i), static_cast<double>(before), static_cast<double>(here)};
}

std::int64_t LegendreRecurrence::zeros(std::size_t place) const {
  const std::size_t n = sine_.size();
  const int end = orders_[place] + static_cast<int>(steps(place).size());
  const auto beginnings = std::span(beginnings_).subspan(place * n, n);
  const auto first =
      std::ranges::find_if(beginnings, [&](const Beginning& b) { return b.degree < end; });
  return first - beginnings.begin();
}

// Latitudes that are computed at once, as vectors.
constexpr int vectors = 4;

void LegendreRecurrence::write_block(const Beginning* beginnings, int m,
                                     std::span<const LegendreStep> steps, std::size_t first,
                                     std::size_t count, double* values) const {
  double sine[vectors * lanes] = {}, before[vectors * lanes] = {}, here[vectors * lanes] = {};
  std::copy_n(sine_.data() + first, count, sine);
  Lanes x[vectors], p0[vectors] = {}, p1[vectors] = {};
  for (int v = 0; v < vectors; ++v) x[v] = parallel::load(sine + v * lanes);
  int due = m;  // no latitude begins before this degree
  for (int l = m; const LegendreStep& step : steps) {
    if (l == due) {
      due = std::numeric_limits<int>::max();
      for (int v = 0; v < vectors; ++v) {
        parallel::store(before + v * lanes, p0[v]);
        parallel::store(here + v * lanes, p1[v]);
      }
      for (std::size_t j = 0; j < count; ++j) {
        const Beginning& beginning = beginnings[first + j];
        if (beginning.degree == l) {
          before[j] = beginning.before;
          here[j] = beginning.here;
        } else if (beginning.degree > l) {
          due = std::min(due, beginning.degree);
        }
      }
      for (int v = 0; v < vectors; ++v) {
        p0[v] = parallel::load(before + v * lanes);
        p1[v] = parallel::load(here + v * lanes);
      }
    }
    if ((l - m) % 2 == 0) {
      if (count == vectors * lanes) {
        for (int v = 0; v < vectors; ++v) parallel::store(values + first + v * lanes, p1[v]);
      } else {
        for (int v = 0; v < vectors; ++v) parallel::store(here + v * lanes, p1[v]);
        std::copy_n(here, count, values + first);
      }
      values += sine_.size();
    }
    const Lanes next = parallel::all_lanes<double, lanes>(step.next);
    const Lanes drop = parallel::all_lanes<double, lanes>(step.drop);
    for (int v = 0; v < vectors; ++v) {
      const Lanes after = parallel::fused(next * x[v], p1[v], -(drop * p0[v]));
      p0[v] = p1[v];
      p1[v] = after;
    }
    ++l;
  }
}

void LegendreRecurrence::write_even(std::size_t place, double* values) const {
  const std::size_t n = sine_.size();
  const Beginning* beginnings = beginnings_.data() + place * n;
  constexpr std::size_t block = vectors * lanes;
  for (std::size_t first = 0; first < n; first += block)
    write_block(beginnings, orders_[place], steps(place), first, std::min(block, n - first),
                values);
}

}  // namespace phasewise::sphere
