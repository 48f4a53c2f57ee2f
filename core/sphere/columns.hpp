// What a Legendre transform has at a pair of latitudes for one wavenumber: the sums of north and
// south, which belong to the degrees with even l - m, and for the odd ones the differences. Before
// an analysis these are multiplied by μ = sin φ; a synthesis gives the differences over μ. Each has
// the real and then the imaginary parts of all levels, field by field.
#pragma once

#include <cstdint>
#include <vector>

#include "sphere/division.hpp"

namespace phasewise::sphere {

struct ColumnLayout {
  int fields, levels;

  // Doubles of one parity, and of one pair and wavenumber.
  std::int64_t width() const { return std::int64_t{2} * fields * levels; }
  std::int64_t size() const { return 2 * width(); }
  std::int64_t real_of(int field) const { return std::int64_t{2} * field * levels; }
  std::int64_t imaginary_of(int field) const { return real_of(field) + levels; }
};

// Where the columns of some consecutive places of wavenumbers lie.
template <class Real>
struct ColumnPart {
  Real* data;                     // of the first pair and place
  std::int64_t pair, wavenumber;  // values from one to the next
  Range places;
};
template <class Real>
using ColumnParts = std::vector<ColumnPart<Real>>;

}  // namespace phasewise::sphere
