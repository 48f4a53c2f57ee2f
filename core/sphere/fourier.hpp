// Fourier transforms along pairs of latitudes. A row holds the northern latitude in its real parts
// and the southern one in its imaginary parts, so that one complex transform does both.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "numerics/fft.hpp"
#include "sphere/columns.hpp"

namespace phasewise::sphere {

using numerics::Complex;

// The rows of a pair of latitudes, one for each level.
struct RowLayout {
  int longitudes, levels;
  std::int64_t stride;  // from one row to the next

  // Rows begin at lines of the cache. Padding keeps the rows of a grid with 2^n longitudes from
  // meeting in the same sets of it.
  RowLayout(int along, int in_height, bool padded);
  std::int64_t size() const { return stride * levels; }
};

class Fourier {
 public:
  // `order` are the wavenumbers in the order of storage; fixed: the number of levels is compiled
  // in.
  Fourier(const RowLayout& rows, const std::vector<int>& order, bool fixed)
      : rows_(rows), order_(order), fixed_(fixed), transform_(rows.longitudes) {}

  // Transforms the rows of a field, and writes the columns of all wavenumbers, times `weight`. The
  // rows are overwritten.
  void forward(Complex* rows, double weight, const ColumnLayout& layout, int field, double* columns,
               std::int64_t wavenumber_stride) const;
  // The rows that have these columns.
  void backward(const double* columns, std::int64_t wavenumber_stride, const ColumnLayout& layout,
                int field, Complex* rows) const;

 private:
  template <class Levels>
  void to_columns(const Complex* rows, double half, const ColumnLayout& layout, int field,
                  double* columns, std::int64_t wavenumber_stride, Levels levels) const;
  template <class Levels>
  void to_rows(const double* columns, std::int64_t wavenumber_stride, const ColumnLayout& layout,
               int field, Complex* rows, Levels levels) const;

  RowLayout rows_;
  const std::vector<int>& order_;
  bool fixed_;
  numerics::ComplexRowTransform transform_;
};

}  // namespace phasewise::sphere
