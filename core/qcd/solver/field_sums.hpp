// Passes over fields of one parity that end in sums over sites. Each site's term is computed in one
// order, and terms are added exactly (numerics/order_free_sum.hpp), so that the bits depend neither
// on ranks, threads nor lanes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "numerics/order_free_sum.hpp"
#include "parallel/loops.hpp"
#include "parallel/simd.hpp"
#include "qcd/dirac/halo_hopping.hpp"
#include "qcd/dirac/spin.hpp"
#include "workload/bounded_sums.hpp"

namespace phasewise::qcd {

using workload::Bounds;
using workload::PartialSums;

template <class Real, int Lanes>
PHASEWISE_HD Vector<double, Lanes> as_doubles(Vector<Real, Lanes> value) {
  if constexpr (Lanes == 1)
    return static_cast<double>(value);
  else
    return __builtin_convertvector(value, Vector<double, Lanes>);
}

// terms(site) gives `Number` vectors for a vector of sites; `all` is the number of terms on all
// ranks.
template <class Real, int Lanes, int Number, class F>
PartialSums<Number> sums_over_vectors(std::int64_t vectors, int threads,
                                      const Bounds<Number>& bounds, double all, F&& terms) {
  using D = Vector<double, Lanes>;
  std::array<numerics::OrderFreeGrid, Number> grids;
  for (int i = 0; i < Number; ++i)
    grids[i] = numerics::OrderFreeGrid(bounds[i], static_cast<std::int64_t>(all));
  const std::int64_t blocks = (vectors + parallel::block_size - 1) / parallel::block_size;
  std::vector<PartialSums<Number>> of_block(static_cast<std::size_t>(blocks));
  parallel::for_blocks(vectors, threads, [&](std::int64_t begin, int n, int) {
    D high[Number] = {}, low[Number] = {};
    for (std::int64_t site = begin; site < begin + n; ++site) {
      const std::array<Vector<Real, Lanes>, Number> values = terms(site);
      for (int i = 0; i < Number; ++i) {
        const D value = as_doubles<Real, Lanes>(values[i]);
        const D upper = (value + grids[i].high_offset) - grids[i].high_offset;
        high[i] += upper;
        low[i] += ((value - upper) + grids[i].low_offset) - grids[i].low_offset;
      }
    }
    PartialSums<Number>& sums = of_block[static_cast<std::size_t>(begin / parallel::block_size)];
    for (int i = 0; i < Number; ++i)
      for (int lane = 0; lane < Lanes; ++lane) {
        sums[i][0] += parallel::lane_of<double, Lanes>(high[i], lane);
        sums[i][1] += parallel::lane_of<double, Lanes>(low[i], lane);
      }
  });
  PartialSums<Number> total{};
  for (const PartialSums<Number>& sums : of_block)
    for (int i = 0; i < Number; ++i)
      for (int part = 0; part < 2; ++part) total[i][part] += sums[i][part];
  return total;
}

// ψ|² of a vector of sites, summed over spin, colour, re and im in this order.
template <class Real, int Lanes>
PHASEWISE_HD Vector<Real, Lanes> site_norm(const Real* spinor) {
  Vector<Real, Lanes> sum{};
#pragma GCC unroll 24
  for (int i = 0; i < spinor_reals; ++i) {
    const Vector<Real, Lanes> value = load_vector<Real, Lanes>(spinor + i * Lanes);
    sum = fused(value, value, sum);
  }
  return sum;
}

template <class Real, int Lanes>
PHASEWISE_HD ComplexOf<Vector<Real, Lanes>> load_complex(const Real* from) {
  return {load_vector<Real, Lanes>(from), load_vector<Real, Lanes>(from + Lanes)};
}
template <class Real, int Lanes>
PHASEWISE_HD void store_complex(Real* to, const ComplexOf<Vector<Real, Lanes>>& value) {
  store_vector<Real, Lanes>(to, value.re);
  store_vector<Real, Lanes>(to + Lanes, value.im);
}
// a + factor b.
template <class V>
PHASEWISE_HD ComplexOf<V> added(const ComplexOf<V>& a, const ComplexOf<V>& factor,
                                const ComplexOf<V>& b) {
  return {fused(-factor.im, b.im, fused(factor.re, b.re, a.re)),
          fused(factor.im, b.re, fused(factor.re, b.im, a.im))};
}

// a* b of a vector of sites.
template <class Real, int Lanes>
PHASEWISE_HD ComplexOf<Vector<Real, Lanes>> site_product(const Real* a, const Real* b) {
  using V = Vector<Real, Lanes>;
  ComplexOf<V> sum{V{}, V{}};
#pragma GCC unroll 12
  for (int i = 0; i < spinor_reals; i += 2) {
    const ComplexOf<V> x = load_complex<Real, Lanes>(a + i * Lanes);
    const ComplexOf<V> y = load_complex<Real, Lanes>(b + i * Lanes);
    sum.re = fused(x.im, y.im, fused(x.re, y.re, sum.re));
    sum.im = fused(-x.im, y.re, fused(x.re, y.im, sum.im));
  }
  return sum;
}

// Fields of one parity, in the order of a kernel.
template <class Real>
struct FieldShape {
  std::int64_t reals = 0;
  int lanes = 1, threads = 1;
  double all_sites = 0.0;  // of one parity, on all ranks

  // terms.operator()<Lanes>() takes the first real of a vector of sites.
  template <int Number, class F>
  PartialSums<Number> sums(const Bounds<Number>& bounds, F&& terms) const {
    PartialSums<Number> total{};
    parallel::with_lanes<Real>(lanes, [&]<int Lanes>() {
      total = sums_over_vectors<Real, Lanes, Number>(
          reals / spinor_reals / Lanes, threads, bounds, all_sites, [&](std::int64_t site) {
            return terms.template operator()<Lanes>(site * spinor_reals * Lanes);
          });
    });
    return total;
  }

  PartialSums<1> norm(const Real* field, const Bounds<1>& bound) const {
    return sums<1>(bound, [&]<int Lanes>(std::int64_t at) {
      return std::array{site_norm<Real, Lanes>(field + at)};
    });
  }

  // |a|² + shift |b|².
  PartialSums<1> shifted_norm(const Real* a, Real shift, const Real* b,
                              const Bounds<1>& bound) const {
    return sums<1>(bound, [&]<int Lanes>(std::int64_t at) {
      return std::array{fused(all_lanes<Real, Lanes>(shift), site_norm<Real, Lanes>(b + at),
                              site_norm<Real, Lanes>(a + at))};
    });
  }

  // x += α p and r -= α (z + shift p); returns |r|².
  PartialSums<1> advance(Real alpha, Real shift, const Real* p, const Real* z, Real* x, Real* r,
                         const Bounds<1>& bound) const {
    if (shift == Real{0}) return advance_by<false>(alpha, shift, p, z, x, r, bound);
    return advance_by<true>(alpha, shift, p, z, x, r, bound);
  }
  template <bool Shifted>
  PartialSums<1> advance_by(Real alpha, Real shift, const Real* p, const Real* z, Real* x, Real* r,
                            const Bounds<1>& bound) const {
    return sums<1>(bound, [&]<int Lanes>(std::int64_t at) {
      using V = Vector<Real, Lanes>;
      const V step = all_lanes<Real, Lanes>(alpha);
      const V more = all_lanes<Real, Lanes>(alpha * shift);
      V sum{};
      for (std::int64_t i = at; i < at + spinor_reals * Lanes; i += Lanes) {
        const V along = load_vector<Real, Lanes>(p + i);
        const V moved = fused(step, along, load_vector<Real, Lanes>(x + i));
        V left = fused(-step, load_vector<Real, Lanes>(z + i), load_vector<Real, Lanes>(r + i));
        if constexpr (Shifted) left = fused(-more, along, left);
        store_vector<Real, Lanes>(x + i, moved);
        store_vector<Real, Lanes>(r + i, left);
        sum = fused(left, left, sum);
      }
      return std::array{sum};
    });
  }

  void copy(const Real* from, Real* to) const {
    parallel::for_blocks(reals / spinor_reals, threads, [&](std::int64_t begin, int n, int) {
      std::copy_n(from + begin * spinor_reals, std::int64_t{n} * spinor_reals,
                  to + begin * spinor_reals);
    });
  }
  void clear(Real* to) const {
    parallel::for_blocks(reals / spinor_reals, threads, [&](std::int64_t begin, int n, int) {
      std::fill_n(to + begin * spinor_reals, std::int64_t{n} * spinor_reals, Real{0});
    });
  }

  // result = a + factor b.
  void combine(const Real* a, Real factor, const Real* b, Real* result) const {
    parallel::with_lanes<Real>(lanes, [&]<int Lanes>() {
      using V = Vector<Real, Lanes>;
      const V scale = all_lanes<Real, Lanes>(factor);
      parallel::for_blocks(reals / Lanes, threads, [&](std::int64_t begin, int n, int) {
        for (std::int64_t i = begin * Lanes; i < (begin + n) * Lanes; i += Lanes)
          store_vector<Real, Lanes>(result + i, fused(scale, load_vector<Real, Lanes>(b + i),
                                                      load_vector<Real, Lanes>(a + i)));
      });
    });
  }
};

template <class Real>
FieldShape<Real> shape_of(const HaloHopping<Real>& hopping, int threads) {
  return {.reals = hopping.reals(),
          .lanes = hopping.kernel().lanes(),
          .threads = threads,
          .all_sites = 0.5 * static_cast<double>(volume_of(hopping.domain().size))};
}

}  // namespace phasewise::qcd
