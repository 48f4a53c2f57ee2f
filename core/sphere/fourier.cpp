#include "sphere/fourier.hpp"

#include <algorithm>

#include "sphere/level_count.hpp"

namespace phasewise::sphere {

RowLayout::RowLayout(int along, int in_height, bool padded) : longitudes(along), levels(in_height) {
  constexpr std::int64_t line = numerics::complex_per_line;
  stride = (along + line - 1) / line * line + (padded ? line : 0);
}

// The transform C of north + i south has N(m) = (C(m) + C*(-m)) / 2 and S(m) = (C(m) - C*(-m)) /
// 2i.
template <class Levels>
void Fourier::to_columns(const Complex* rows, double half, const ColumnLayout& layout, int field,
                         double* columns, std::int64_t wavenumber_stride, Levels levels) const {
  for (const int m : order_) {
    double* even_re = columns + layout.real_of(field);
    double* even_im = columns + layout.imaginary_of(field);
    double* odd_re = even_re + layout.width();
    double* odd_im = even_im + layout.width();
    const Complex* there = rows + m;
    const Complex* opposite = rows + (m == 0 ? 0 : rows_.longitudes - m);
    for (int level = 0; level < levels; ++level) {
      const Complex a = there[level * rows_.stride], b = opposite[level * rows_.stride];
      const double north_re = a.real() + b.real(), north_im = a.imag() - b.imag();
      const double south_re = a.imag() + b.imag(), south_im = b.real() - a.real();
      even_re[level] = half * (north_re + south_re);
      even_im[level] = half * (north_im + south_im);
      odd_re[level] = half * (north_re - south_re);
      odd_im[level] = half * (north_im - south_im);
    }
    columns += wavenumber_stride;
  }
}

void Fourier::forward(Complex* rows, double weight, const ColumnLayout& layout, int field,
                      double* columns, std::int64_t wavenumber_stride) const {
  for (int level = 0; level < rows_.levels; ++level)
    transform_.forward(rows + level * rows_.stride);
  const double half = 0.5 * weight / rows_.longitudes;
  with_level_count(rows_.levels, fixed_, [&](auto levels) {
    to_columns(rows, half, layout, field, columns, wavenumber_stride, levels);
  });
}

// C(m) = N(m) + i S(m), and C(-m) = N*(m) + i S*(m).
template <class Levels>
void Fourier::to_rows(const double* columns, std::int64_t wavenumber_stride,
                      const ColumnLayout& layout, int field, Complex* rows, Levels levels) const {
  const int n = rows_.longitudes;
  for (const int m : order_) {
    const double* even_re = columns + layout.real_of(field);
    const double* even_im = columns + layout.imaginary_of(field);
    const double* odd_re = even_re + layout.width();
    const double* odd_im = even_im + layout.width();
    Complex* there = rows + m;
    Complex* opposite = rows + (n - m);
    for (int level = 0; level < levels; ++level) {
      const double north_re = even_re[level] + odd_re[level];
      const double south_re = even_re[level] - odd_re[level];
      if (m == 0) {
        there[level * rows_.stride] = {north_re, south_re};
        continue;
      }
      const double north_im = even_im[level] + odd_im[level];
      const double south_im = even_im[level] - odd_im[level];
      there[level * rows_.stride] = {north_re - south_im, north_im + south_re};
      opposite[level * rows_.stride] = {north_re + south_im, south_re - north_im};
    }
    columns += wavenumber_stride;
  }
}

void Fourier::backward(const double* columns, std::int64_t wavenumber_stride,
                       const ColumnLayout& layout, int field, Complex* rows) const {
  const int n = rows_.longitudes, top = static_cast<int>(order_.size()) - 1;
  for (int level = 0; level < rows_.levels; ++level) {
    Complex* row = rows + level * rows_.stride;
    std::fill(row + top + 1, row + n - top, Complex{});
  }
  with_level_count(rows_.levels, fixed_, [&](auto levels) {
    to_rows(columns, wavenumber_stride, layout, field, rows, levels);
  });
  for (int level = 0; level < rows_.levels; ++level)
    transform_.backward(rows + level * rows_.stride);
}

}  // namespace phasewise::sphere
