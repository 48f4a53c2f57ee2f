// Sums of doubles whose result does not depend on the order of the terms, and therefore not on
// ranks, threads or sorting.
//
// Each term is split into multiples of two powers of two, q1 and q2. As long as every partial sum
// stays below 2^53 q, adding multiples of q is exact. Both q1 and q2 follow from a bound on the
// terms and on their number (pre-rounding: Demmel, Nguyen, "Fast reproducible floating-point
// summation", ARITH 21 (2013) 163).
#pragma once

#include <cmath>
#include <cstdint>

#include "parallel/macros.hpp"

namespace phasewise::numerics {

// Adding and subtracting 1.5·2^52·q rounds a value below 2^51 q, or each of a vector, to a multiple
// of q.
template <class V>
PHASEWISE_HD V round_to_multiple(V value, V rounding_offset) {
  return (value + rounding_offset) - rounding_offset;
}

inline double rounding_offset_for(double quantum) { return 0x1.8p52 * quantum; }

// The smallest power of two that is at least |value|; 2^-1000 for zero.
inline double power_of_two_above(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(std::fabs(value), &exponent);
  if (mantissa == 0.0) return 0x1p-1000;
  return std::ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent);
}

// The rounding offsets of both grids.
struct OrderFreeGrid {
  double high_offset = 0.0;
  double low_offset = 0.0;

  OrderFreeGrid() = default;
  // The grid for at most `count` terms of magnitude at most `bound`.
  OrderFreeGrid(double bound, std::int64_t count) {
    const double terms = power_of_two_above(static_cast<double>(count < 4 ? 4 : count));
    const double q1 = power_of_two_above(bound) * terms * 0x1p-52;
    high_offset = rounding_offset_for(q1);
    low_offset = rounding_offset_for(q1 * terms * 0x1p-52);
  }
};

// The largest error of a sum of `count` terms, each of magnitude at most `bound`.
inline double rounding_of(double bound, std::int64_t count) {
  const double terms = power_of_two_above(static_cast<double>(count < 4 ? 4 : count));
  const double q1 = power_of_two_above(bound) * terms * 0x1p-52;
  return terms * q1 * terms * 0x1p-52;
}

// A running sum. Two sums on the same grid can be added part by part without rounding errors, also
// by MPI_SUM.
struct OrderFreeSum {
  double high = 0.0;
  double low = 0.0;

  PHASEWISE_HD void add(double term, const OrderFreeGrid& grid) {
    const double upper = round_to_multiple(term, grid.high_offset);
    high += upper;
    low += round_to_multiple(term - upper, grid.low_offset);
  }
  PHASEWISE_HD double value() const { return high + low; }
};

}  // namespace phasewise::numerics
