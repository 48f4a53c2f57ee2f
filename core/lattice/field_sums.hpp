// Passes over fields that end in a sum over sites: each site's term is made in one order, and terms
// are added exactly, so that the bits depend neither on ranks nor threads nor lanes. The bound on
// the terms is the sum of an earlier iteration, so that no call for a maximum is needed; where a
// term exceeds it, the sum is made again with a larger one, on all ranks alike.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "lattice/outside.hpp"
#include "lattice/simd.hpp"
#include "lattice/spin.hpp"
#include "numerics/order_free_sum.hpp"
#include "parallel/loops.hpp"

namespace phasewise::lattice {

// What a rank adds: both parts of the sum, and 1 if a term exceeds the bound.
using PartialSum = std::array<double, 3>;

template <class Real, int Lanes>
PHASEWISE_HD Vector<double, Lanes> as_doubles(Vector<Real, Lanes> value) {
  if constexpr (Lanes == 1)
    return static_cast<double>(value);
  else
    return __builtin_convertvector(value, Vector<double, Lanes>);
}

// term(site) of a vector of sites; all: terms on all ranks.
template <class Real, int Lanes, class F>
PartialSum sum_over_vectors(std::int64_t vectors, int threads, double bound, double all, F&& term) {
  using D = Vector<double, Lanes>;
  const numerics::OrderFreeGrid grid(bound, static_cast<std::int64_t>(all));
  const std::int64_t blocks = (vectors + parallel::block_size - 1) / parallel::block_size;
  std::vector<PartialSum> of_block(static_cast<std::size_t>(blocks));
  parallel::for_blocks(vectors, threads, [&](std::int64_t begin, int n, int) {
    D high{}, low{}, within{};
    for (std::int64_t site = begin; site < begin + n; ++site) {
      const D value = as_doubles<Real, Lanes>(term(site));
      const D upper = (value + grid.high_offset) - grid.high_offset;
      high += upper;
      low += ((value - upper) + grid.low_offset) - grid.low_offset;
      const D size = value < 0.0 ? -value : value;
      within += size <= bound ? D{} + 1.0 : D{};
    }
    PartialSum& sum = of_block[static_cast<std::size_t>(begin / parallel::block_size)];
    for (int lane = 0; lane < Lanes; ++lane) {
      sum[0] += lane_of<double, Lanes>(high, lane);
      sum[1] += lane_of<double, Lanes>(low, lane);
      if (lane_of<double, Lanes>(within, lane) != n) sum[2] = 1.0;
    }
  });
  PartialSum total{};
  for (const PartialSum& sum : of_block) {
    total[0] += sum[0];
    total[1] += sum[1];
    total[2] = std::fmax(total[2], sum[2]);
  }
  return total;
}

// |ψ|² of a vector of sites, over spin, colour, re and im in turn.
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

// Fields of one parity, in the order of a kernel.
template <class Real>
struct FieldShape {
  std::int64_t reals = 0;
  int lanes = 1, threads = 1;
  double all_sites = 0.0;  // of one parity, on all ranks

  template <class F>
  PartialSum sum(double bound, F&& term_of_lanes) const {
    PartialSum total{};
    with_lanes<Real>(lanes, [&]<int Lanes>() {
      total = sum_over_vectors<Real, Lanes>(
          reals / spinor_reals / Lanes, threads, bound, all_sites, [&](std::int64_t site) {
            return term_of_lanes.template operator()<Lanes>(site * spinor_reals * Lanes);
          });
    });
    return total;
  }

  PartialSum norm(const Real* field, double bound) const {
    return sum(bound,
               [&]<int Lanes>(std::int64_t at) { return site_norm<Real, Lanes>(field + at); });
  }

  // x += α p, r -= α z; |r|².
  PartialSum advance(Real alpha, const Real* p, const Real* z, Real* x, Real* r,
                     double bound) const {
    return sum(bound, [&]<int Lanes>(std::int64_t at) {
      using V = Vector<Real, Lanes>;
      const V step = all_lanes<Real, Lanes>(alpha);
      V sum{};
      for (std::int64_t i = at; i < at + spinor_reals * Lanes; i += Lanes) {
        const V moved =
            fused(step, load_vector<Real, Lanes>(p + i), load_vector<Real, Lanes>(x + i));
        const V left =
            fused(-step, load_vector<Real, Lanes>(z + i), load_vector<Real, Lanes>(r + i));
        store_vector<Real, Lanes>(x + i, moved);
        store_vector<Real, Lanes>(r + i, left);
        sum = fused(left, left, sum);
      }
      return sum;
    });
  }

  // result = a + factor b.
  void combine(const Real* a, Real factor, const Real* b, Real* result) const {
    with_lanes<Real>(lanes, [&]<int Lanes>() {
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

// One sum of a solver: it remembers a bound. pass(bound) makes a rank's part while it updates
// fields; again(bound) only makes it.
class RememberedSum {
 public:
  explicit RememberedSum(std::string_view phase) : phase_(phase) {}

  template <class F, class G>
  double operator()(Outside& outside, F&& pass, G&& again) {
    PartialSum parts = pass(bound_);
    outside.sum(phase_, parts);
    while (parts[2] != 0.0) {
      // A norm is at most 1e308, and a field of zeros fits any bound.
      if (bound_ > 0x1p900) throw std::domain_error("a field of the solver is not finite");
      bound_ *= 0x1p40;
      parts = again(bound_);
      outside.sum(phase_, parts);
    }
    const double value = parts[0] + parts[1];
    // Each term is at most the sum; the next one may be larger.
    if (value > 0.0) bound_ = 16.0 * value;
    return value;
  }

 private:
  std::string_view phase_;
  double bound_ = 1.0;
};

}  // namespace phasewise::lattice
