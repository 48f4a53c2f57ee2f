#include "sphere/fourier.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "linear/rows_in_lanes.hpp"

namespace phasewise::sphere {
namespace {

using numerics::LanesOfComplex;
using parallel::Lanes;
using parallel::lanes;

// Without a transpose the columns of a pair lie far apart, one wavenumber from the next, and the
// processor does not foresee where. They are asked for this many wavenumbers ahead.
constexpr std::int64_t ahead = 8;

// The rows of a batch, one for each lane. If there are too few, the last lanes repeat the last row.
struct RowsOfBatch {
  std::array<int, lanes> pair, level;

  RowsOfBatch(int first, int rows, int levels) {
    for (int lane = 0; lane < lanes; ++lane) {
      const int row = std::min(first + lane, rows - 1);
      pair[lane] = row / levels;
      level[lane] = row % levels;
    }
  }
  // Whether the rows are levels of one pair, one after another.
  bool follow() const { return level.back() - level.front() == lanes - 1; }
};

// Calls f with each batch of the rows of some pairs.
template <class F>
void for_batches(int pairs, int levels, F&& f) {
  for (int first = 0; first < pairs * levels; first += lanes)
    f(RowsOfBatch(first, pairs * levels, levels));
}

// The columns of a batch for one wavenumber, lane by lane, or in vectors if the levels follow one
// another.
template <class Real, bool levels_follow>
struct ColumnsOfBatch {
  std::array<Real*, lanes> at;
  std::int64_t to_imaginary, to_odd;

  ColumnsOfBatch(const ColumnPart<Real>& part, const ColumnLayout& layout, int field, int first,
                 const RowsOfBatch& rows)
      : to_imaginary(layout.levels), to_odd(layout.width()) {
    for (int lane = 0; lane < lanes; ++lane)
      at[lane] = part.data + (first + rows.pair[lane]) * part.pair + layout.real_of(field) +
                 rows.level[lane];
  }
  // Asks for the columns of the first lane at this place, which may lie beyond the last one.
  void prefetch(std::int64_t offset) const {
    constexpr int writes = std::is_const_v<Real> ? 0 : 1;
    for (const std::int64_t part : {std::int64_t{0}, to_imaginary, to_odd, to_odd + to_imaginary})
      __builtin_prefetch(at[0] + offset + part, writes);
  }
  Lanes get(std::int64_t offset) const {
    if constexpr (levels_follow) return parallel::load(at[0] + offset);
    Lanes value;
    for (int lane = 0; lane < lanes; ++lane) value[lane] = at[lane][offset];
    return value;
  }
  void put(std::int64_t offset, const Lanes& value) const {
    if constexpr (levels_follow) return parallel::store(at[0] + offset, value);
    for (int lane = 0; lane < lanes; ++lane) at[lane][offset] = value[lane];
  }
};

// The transform C of north + i south has N(m) = (C(m) + C*(-m)) / 2 and S(m) = (C(m) - C*(-m)) /
// 2i. The factors of sums and differences contain the halves.
template <class Columns>
void to_columns(const LanesOfComplex& a, const LanesOfComplex& b, const Lanes& even,
                const Lanes& odd, const Columns& columns, std::int64_t at) {
  const Lanes north_re = a.re + b.re, north_im = a.im - b.im;
  const Lanes south_re = a.im + b.im, south_im = b.re - a.re;
  columns.put(at, even * (north_re + south_re));
  columns.put(at + columns.to_imaginary, even * (north_im + south_im));
  columns.put(at + columns.to_odd, odd * (north_re - south_re));
  columns.put(at + columns.to_odd + columns.to_imaginary, odd * (north_im - south_im));
}

// C(m) = N(m) + i S(m), and C(-m) = N*(m) + i S*(m).
template <class Columns>
void to_values(const Columns& columns, std::int64_t at, const Lanes& sine, LanesOfComplex& there,
               LanesOfComplex* opposite) {
  const Lanes even_re = columns.get(at), odd_re = sine * columns.get(at + columns.to_odd);
  const Lanes north_re = even_re + odd_re, south_re = even_re - odd_re;
  if (opposite == nullptr) {
    there = {north_re, south_re};
    return;
  }
  const Lanes even_im = columns.get(at + columns.to_imaginary);
  const Lanes odd_im = sine * columns.get(at + columns.to_odd + columns.to_imaginary);
  const Lanes north_im = even_im + odd_im, south_im = even_im - odd_im;
  there = {north_re - south_im, north_im + south_re};
  *opposite = {north_re + south_im, south_re - north_im};
}

}  // namespace

RowLayout::RowLayout(int along, int in_height, bool padded) : longitudes(along), levels(in_height) {
  constexpr std::int64_t line = numerics::complex_per_line;
  stride = (along + line - 1) / line * line + (padded ? line : 0);
}

int Fourier::pairs_together() const { return std::max(1, lanes / rows_.levels); }

void Fourier::forward(const Complex* rows, std::span<const double> sines,
                      const std::vector<double>& weights, const ColumnLayout& layout, int field,
                      int first, const ColumnParts<double>& columns, Batch& batch) const {
  const int n = rows_.longitudes;
  LanesOfComplex* values = batch.data();
  for_batches(static_cast<int>(weights.size()), rows_.levels, [&](const RowsOfBatch& of) {
    std::array<const Complex*, lanes> from;
    Lanes even, odd;
    for (int lane = 0; lane < lanes; ++lane) {
      from[lane] = rows + of.pair[lane] * rows_.size() + of.level[lane] * rows_.stride;
      even[lane] = 0.5 * weights[of.pair[lane]] / n;
      odd[lane] = even[lane] * sines[of.pair[lane]];
    }
    linear::read_rows(from, n, values);
    transform_.forward(values);
    for (const ColumnPart<double>& part : columns) {
      const auto write = [&](const auto& to) {
        std::int64_t at = 0;
        for (int place = part.places.first; place < part.places.second; ++place) {
          to.prefetch(at + ahead * part.wavenumber);
          const int m = order_[place], opposite = m == 0 ? 0 : n - m;
          to_columns(values[transform_.place_of(m)], values[transform_.place_of(opposite)], even,
                     odd, to, at);
          at += part.wavenumber;
        }
      };
      if (of.follow())
        write(ColumnsOfBatch<double, true>(part, layout, field, first, of));
      else
        write(ColumnsOfBatch<double, false>(part, layout, field, first, of));
    }
  });
}

void Fourier::backward(const ColumnParts<const double>& columns, const ColumnLayout& layout,
                       int field, int first, std::span<const double> sines,
                       const std::vector<Complex*>& rows, Batch& batch) const {
  const int n = rows_.longitudes;
  LanesOfComplex* values = batch.data();
  for_batches(static_cast<int>(rows.size()), rows_.levels, [&](const RowsOfBatch& of) {
    std::fill_n(values, n, LanesOfComplex{});
    Lanes sine;
    for (int lane = 0; lane < lanes; ++lane) sine[lane] = sines[of.pair[lane]];
    for (const ColumnPart<const double>& part : columns) {
      const auto read = [&](const auto& from) {
        std::int64_t at = 0;
        for (int place = part.places.first; place < part.places.second; ++place) {
          from.prefetch(at + ahead * part.wavenumber);
          const int m = order_[place];
          to_values(from, at, sine, values[transform_.place_of(m)],
                    m == 0 ? nullptr : &values[transform_.place_of(n - m)]);
          at += part.wavenumber;
        }
      };
      if (of.follow())
        read(ColumnsOfBatch<const double, true>(part, layout, field, first, of));
      else
        read(ColumnsOfBatch<const double, false>(part, layout, field, first, of));
    }
    transform_.backward(values);
    std::array<Complex*, lanes> to;
    for (int lane = 0; lane < lanes; ++lane)
      to[lane] = rows[of.pair[lane]] + of.level[lane] * rows_.stride;
    linear::write_rows(values, n, to);
  });
}

}  // namespace phasewise::sphere
