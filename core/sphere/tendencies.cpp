#include "sphere/tendencies.hpp"

#include <cmath>
#include <utility>

#include "parallel/simd.hpp"
#include "sphere/legendre_functions.hpp"
#include "sphere/level_count.hpp"

namespace phasewise::sphere {
namespace {

using parallel::Lanes;
using parallel::lanes;

using Pair = parallel::Vector<double, 2>;

template <class V>
V values_at(const double* from) {
  return parallel::load<sizeof(V) / sizeof(double)>(from);
}
template <>
double values_at<double>(const double* from) {
  return *from;
}

// Calls f.operator()<V>(level) for vectors V of levels that together are all levels.
template <class F>
[[gnu::always_inline]] inline void for_levels(int levels, const F& f) {
  int level = 0;
  for (; level + lanes <= levels; level += lanes) f.template operator()<Lanes>(level);
  for (; level + 2 <= levels; level += 2) f.template operator()<Pair>(level);
  if (level < levels) f.template operator()<double>(level);
}

// Where the six numbers of a coefficient go: they are set, or added without rounding.
template <class Levels>
struct Setting {
  double* to;
  Levels levels;
  template <class V>
  void put(int field, int part, int level, const V& value) const {
    parallel::store(to + (2 * field + part) * levels + level, value);
  }
};
template <class Levels>
struct Adding {
  double* sums;
  Levels levels;
  const double *high_offsets, *low_offsets;
  template <class V>
  void put(int field, int part, int level, const V& value) const {
    const int of = field * levels + level;
    double* high = sums + (2 * field + part) * levels + level;
    double* low = high + 2 * state::fields * levels;
    const V upper = numerics::round_to_multiple(value, values_at<V>(high_offsets + of));
    const V lower = numerics::round_to_multiple(value - upper, values_at<V>(low_offsets + of));
    parallel::store(high, values_at<V>(high) + upper);
    parallel::store(low, values_at<V>(low) + lower);
  }
};

// The products of the degrees l - 1, l and l + 1; those that do not exist are zeros.
struct Degrees {
  const double *below, *here, *above;
};

// All numbers of one coefficient in one pass over the levels.
template <bool initial, class Levels, class To>
void combine_degree(const ProductFactors& f, const Degrees& degrees, Levels levels, const To& to) {
  for_levels(levels, [&]<class V>(int level) {
    const auto place = [&](int field, int part) { return (2 * field + part) * levels + level; };
    const auto along = [&](int field, int part) {
      return f.along * values_at<V>(degrees.here + place(field, part));
    };
    const auto slope = [&](int field, int part) {
      const std::int64_t at = place(field, part);
      return f.down * values_at<V>(degrees.below + at) - f.up * values_at<V>(degrees.above + at);
    };
    const auto laplacian = [&](int part) {
      return f.laplacian * values_at<V>(degrees.here + place(products::k, part));
    };
    const auto put = [&](int field, int part, const V& value) {
      to.put(field, part, level, value);
    };
    put(state::vorticity, 0, along(products::a, 1) + slope(products::b, 0));
    put(state::vorticity, 1, slope(products::b, 1) - along(products::a, 0));
    put(state::divergence, 0, slope(products::a, 0) - along(products::b, 1) - laplacian(0));
    put(state::divergence, 1, along(products::b, 0) + slope(products::a, 1) - laplacian(1));
    if constexpr (initial) {
      for (const int part : {0, 1})
        put(state::geopotential, part, values_at<V>(degrees.here + place(products::c, part)));
    } else {
      put(state::geopotential, 0, along(products::c, 1) + slope(products::d, 0));
      put(state::geopotential, 1, slope(products::d, 1) - along(products::c, 0));
    }
  });
}

template <class Levels>
void combine_all(std::span<const ProductFactors> factors, const double* from, Meaning meaning,
                 const ExactGrids& grids, double* to, Levels levels) {
  const std::int64_t width = state_width(levels);
  const std::int64_t stride = ColumnLayout{products::fields, levels}.width();
  const std::vector<double> zeros(stride);
  const double* below = zeros.data();
  for (const ProductFactors& f : factors) {
    const Degrees degrees{below, from, from + stride};
    const auto combine_to = [&](const auto& put) {
      if (meaning == Meaning::initial)
        combine_degree<true>(f, degrees, levels, put);
      else
        combine_degree<false>(f, degrees, levels, put);
    };
    if (grids.empty())
      combine_to(Setting<Levels>{to, levels});
    else
      combine_to(Adding<Levels>{to, levels, grids.high_offsets.data(), grids.low_offsets.data()});
    to += grids.empty() ? width : 2 * width;
    below = std::exchange(from, from + stride);
  }
}

}  // namespace

std::vector<ProductFactors> product_factors(const Description& description, int m) {
  const double over_radius = 1.0 / description.radius;
  std::vector<ProductFactors> factors;
  for (int l = m; l <= description.truncation; ++l)
    factors.push_back({m * over_radius, (l + 1) * epsilon(l, m) * over_radius,
                       l * epsilon(l + 1, m) * over_radius, description.laplacian(l)});
  return factors;
}

void combine(const Description& description, std::span<const ProductFactors> factors,
             const double* from, Meaning meaning, const ExactGrids& grids, double* to) {
  with_level_count(description.levels, description.manner.kernel == Kernel::fixed,
                   [&](auto levels) { combine_all(factors, from, meaning, grids, to, levels); });
}

// A function is at most sqrt((2l + 1) / 2), and the factors of `combine` follow from m, l ≤ M.
std::vector<double> bounds_of(const Description& description, std::span<const double> largest,
                              int count, Meaning meaning) {
  const int levels = description.levels, top = description.truncation;
  const double sum = count * std::sqrt(top + 2.0), degree = (top + 2.0) / description.radius;
  std::vector<double> bounds(static_cast<std::size_t>(state::fields) * levels);
  const auto of = [&](int product, int level) { return sum * largest[product * levels + level]; };
  for (int level = 0; level < levels; ++level) {
    const double winds = 2.0 * degree * (of(products::a, level) + of(products::b, level));
    const double energy = -description.laplacian(top) * of(products::k, level);
    const double fluxes = 2.0 * degree * (of(products::c, level) + of(products::d, level));
    bounds[state::vorticity * levels + level] = winds;
    bounds[state::divergence * levels + level] = winds + energy;
    bounds[state::geopotential * levels + level] =
        meaning == Meaning::initial ? of(products::c, level) : fluxes;
  }
  return bounds;
}

}  // namespace phasewise::sphere
