// What a Legendre transform has at a pair of latitudes for one wavenumber: the sums of north and
// south, which belong to the degrees with even l - m, and for the odd ones the differences. Before
// an analysis these are multiplied by μ = sin φ; a synthesis gives the differences over μ. Each has
// the real and then the imaginary parts of all levels, field by field.
#pragma once

#include <cstdint>

namespace phasewise::sphere {

struct ColumnLayout {
  int fields, levels;

  // Doubles of one parity, and of one pair and wavenumber.
  std::int64_t width() const { return std::int64_t{2} * fields * levels; }
  std::int64_t size() const { return 2 * width(); }
  std::int64_t real_of(int field) const { return std::int64_t{2} * field * levels; }
  std::int64_t imaginary_of(int field) const { return real_of(field) + levels; }
};

// Where the columns of a rank lie: values from one pair, and from one wavenumber, to the next.
struct ColumnStrides {
  std::int64_t pair, wavenumber;
};

}  // namespace phasewise::sphere
