// Adds many terms to a long accumulator: most of them first to two doubles, without rounding.
#include <algorithm>
#include <cmath>

#include "numerics/long_accumulator.hpp"
#include "numerics/order_free_sum.hpp"
#include "parallel/simd.hpp"

namespace phasewise::numerics {
namespace {

using parallel::Lanes;
using parallel::lanes;

constexpr std::size_t chunk = 512;  // terms at once
// With bounds between these, both grids of a chunk lie within the range of doubles.
constexpr double least_bound = 0x1p-800, most_bound = 0x1p+900;

// Parts of a chunk: multiples of the two powers of two of a grid, and a rest for each term, which
// is zero unless the term has bits below both.
struct Split {
  double high = 0.0, low = 0.0;
  bool has_rest = false;
};

double largest_of(std::span<const double> terms) {
  Lanes largest{};
  std::size_t i = 0;
  for (; i + lanes <= terms.size(); i += lanes) {
    const Lanes term = parallel::load(terms.data() + i);
    const Lanes magnitude = term > -term ? term : -term;
    largest = largest > magnitude ? largest : magnitude;
  }
  double result = 0.0;
  for (int lane = 0; lane < lanes; ++lane) result = std::max(result, largest[lane]);
  for (; i < terms.size(); ++i) result = std::max(result, std::fabs(terms[i]));
  return result;
}

template <class V>
V rest_of(V term, const OrderFreeGrid& grid, V& high, V& low) {
  const V upper = round_to_multiple(term, V{} + grid.high_offset);
  const V below = term - upper, lower = round_to_multiple(below, V{} + grid.low_offset);
  high += upper;
  low += lower;
  return below - lower;
}

Split split(std::span<const double> terms, const OrderFreeGrid& grid, double* rests) {
  Split result;
  Lanes high{}, low{}, rest_sum{};
  std::size_t i = 0;
  for (; i + lanes <= terms.size(); i += lanes) {
    const Lanes rest = rest_of(parallel::load(terms.data() + i), grid, high, low);
    rest_sum += rest > -rest ? rest : -rest;
    parallel::store(rests + i, rest);
  }
  double rest_magnitude = 0.0;
  for (int lane = 0; lane < lanes; ++lane) {
    result.high += high[lane];
    result.low += low[lane];
    rest_magnitude += rest_sum[lane];
  }
  for (; i < terms.size(); ++i) {
    rests[i] = rest_of(terms[i], grid, result.high, result.low);
    rest_magnitude += std::fabs(rests[i]);
  }
  result.has_rest = rest_magnitude != 0.0;
  return result;
}

}  // namespace

void LongAccumulator::add(std::span<const double> terms) {
  double rests[chunk];
  for (std::size_t first = 0; first < terms.size(); first += chunk) {
    const auto some = terms.subspan(first, std::min(chunk, terms.size() - first));
    const double bound = largest_of(some);
    const bool in_range = some.size() >= 4 && bound > least_bound && bound < most_bound;
    const Split parts =
        in_range ? split(some, OrderFreeGrid(bound, static_cast<std::int64_t>(chunk)), rests)
                 : Split{};
    // A term that is no number makes the sum one.
    if (!in_range || !std::isfinite(parts.high)) {
      for (const double term : some) add(term);
      continue;
    }
    add(parts.high);
    add(parts.low);
    for (std::size_t i = 0; parts.has_rest && i < some.size(); ++i)
      if (rests[i] != 0.0) add(rests[i]);
  }
}

}  // namespace phasewise::numerics
