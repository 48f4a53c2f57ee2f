#include "field/lane_solver.hpp"

#include <algorithm>
#include <array>

#include "linear/rows_in_lanes.hpp"

namespace phasewise::field {
namespace {

using numerics::LanesOfComplex;
using parallel::Lanes;
using parallel::lanes;

// The lanes of a few rows from `first` on; the last lanes repeat the last row.
template <class Row, class F>
std::array<Row, lanes> in_lanes(int first, int rows, const F& row) {
  std::array<Row, lanes> all;
  for (int lane = 0; lane < lanes; ++lane) all[lane] = row(std::min(first + lane, rows - 1));
  return all;
}

}  // namespace

struct LaneSolver::Placed {
  LanesOfComplex* values;
  const numerics::RealRowBatchTransform& transform;
  LanesOfComplex& operator[](int frequency) const { return values[transform.place_of(frequency)]; }
};

LaneSolver::LaneSolver(const DoubledGrid& grid)
    : grid_(grid), along_y_(grid_.my()), along_x_(grid_.mx(), numerics::Radices::eights) {}

// A tile has half of the doubled grid's rows and more, so that tiles do not meet in the same sets
// of a cache.
std::int64_t LaneSolver::tile_size() const { return (half() / lanes + 2) * lanes; }

LaneSolver::Scratch LaneSolver::make_scratch() const {
  const std::int64_t row = grid_.my() / 2 + 1, column = half() + along_x_.room_size();
  return {parallel::Buffer<LanesOfComplex>(tiles() * tile_size()),
          parallel::Buffer<LanesOfComplex>(std::max(row, column)),
          {}};
}

// Neighbours of a row become real and imaginary parts.
void LaneSolver::read_pairs(const std::array<const double*, at_once>& rows, int n,
                            LanesOfComplex* values) const {
  const auto pairs = in_lanes<const Complex*>(
      0, lanes, [&](int lane) { return reinterpret_cast<const Complex*>(rows[lane]); });
  linear::read_rows(pairs, n / 2, values);
  if (n % 2 == 0) return;
  values[n / 2] = LanesOfComplex{};
  for (int lane = 0; lane < lanes; ++lane) values[n / 2].re[lane] = rows[lane][n - 1];
}

void LaneSolver::write_pairs(const LanesOfComplex* values,
                             const std::array<double*, at_once>& rows) const {
  const int n = grid_.ny();
  const auto pairs = in_lanes<Complex*>(
      0, lanes, [&](int lane) { return reinterpret_cast<Complex*>(rows[lane]); });
  linear::write_rows(values, n / 2, pairs);
  if (n % 2 == 0) return;
  for (int lane = 0; lane < lanes; ++lane) rows[lane][n - 1] = values[n / 2].re[lane];
}

// Writes the rows in the lanes to their places in each tile.
void LaneSolver::to_tiles(const LanesOfComplex* values, LanesOfComplex* tiles) const {
  const int columns = grid_.columns();
  for (int first = 0; first < columns; first += lanes, tiles += tile_size()) {
    Lanes re[lanes] = {}, im[lanes] = {};
#pragma GCC unroll 8
    for (int k = 0; k < lanes; ++k) {
      if (first + k < columns) {
        const LanesOfComplex& value = values[along_y_.place_of(first + k)];
        re[k] = value.re;
        im[k] = value.im;
      }
    }
    linear::transpose(re);
    linear::transpose(im);
#pragma GCC unroll 8
    for (int row = 0; row < lanes; ++row) tiles[row] = {re[row], im[row]};
  }
}

void LaneSolver::from_tiles(const LanesOfComplex* tiles, const std::array<int, at_once>& rows,
                            LanesOfComplex* values) const {
  const int columns = grid_.columns();
  for (int first = 0; first < columns; first += lanes, tiles += tile_size()) {
    Lanes re[lanes], im[lanes];
#pragma GCC unroll 8
    for (int lane = 0; lane < lanes; ++lane) {
      re[lane] = tiles[rows[lane]].re;
      im[lane] = tiles[rows[lane]].im;
    }
    linear::transpose(re);
    linear::transpose(im);
#pragma GCC unroll 8
    for (int k = 0; k < lanes; ++k) {
      if (first + k < columns) values[along_y_.place_of(first + k)] = {re[k], im[k]};
    }
  }
}

std::int64_t LaneSolver::width(const GreenTransform& green) {
  return green.key.function.even() ? lanes : 2 * lanes;
}

const double* LaneSolver::set_of(const GreenTransform& green, int set) const {
  return green.in_lanes.data() + set * grid_.mx() * width(green);
}

void LaneSolver::convolve_set(LanesOfComplex* values, bool real, const double* green,
                              Scratch& scratch) const {
  std::fill(values + grid_.nx(), values + half(), LanesOfComplex{});
  LanesOfComplex* room = scratch.values.data() + half();
  if (real)
    along_x_.convolve(values, half(), reinterpret_cast<const Lanes*>(green), values, room);
  else
    along_x_.convolve(values, half(), reinterpret_cast<const LanesOfComplex*>(green), values, room);
}

void LaneSolver::solve(const double* charge, const GreenTransform& green, double* potential,
                       Scratch& scratch) const {
  const int nx = grid_.nx(), ny = grid_.ny(), pairs = (ny + 1) / 2;
  LanesOfComplex *values = scratch.values.data(), *all = scratch.tiles.data();
  const auto row_of = [ny](auto* mesh) {
    return [=](int row) { return mesh + static_cast<std::int64_t>(row) * ny; };
  };
  for (int first = 0; first < nx; first += lanes) {
    read_pairs(in_lanes<const double*>(first, nx, row_of(charge)), ny, values);
    along_y_.forward(values, pairs);
    to_tiles(values, all + first);
  }
  for (int tile = 0; tile < tiles(); ++tile)
    convolve_set(all + tile * tile_size(), green.key.function.even(), set_of(green, tile), scratch);
  for (int first = 0; first < nx; first += lanes) {
    from_tiles(all, in_lanes<int>(first, nx, [](int row) { return row; }), values);
    along_y_.backward(values, pairs);
    write_pairs(values, in_lanes<double*>(first, nx, row_of(potential)));
  }
}

void LaneSolver::forward_rows(std::span<const double* const> rows, Complex* spectra,
                              Scratch& scratch) const {
  const int count = static_cast<int>(rows.size());
  LanesOfComplex* values = scratch.values.data();
  for (int first = 0; first < count; first += lanes) {
    read_pairs(in_lanes<const double*>(first, count, [&](int row) { return rows[row]; }),
               grid_.ny(), values);
    along_y_.forward(values, (grid_.ny() + 1) / 2);
    linear::write_rows(Placed{values, along_y_}, grid_.columns(),
                       in_lanes<Complex*>(first, count, [&](int row) {
                         return spectra + row * grid_.row_stride();
                       }));
  }
}

void LaneSolver::backward_rows(const Complex* spectra, std::span<double* const> rows,
                               Scratch& scratch) const {
  const int count = static_cast<int>(rows.size());
  LanesOfComplex* values = scratch.values.data();
  for (int first = 0; first < count; first += lanes) {
    linear::read_rows(
        in_lanes<const Complex*>(first, count,
                                 [&](int row) { return spectra + row * grid_.row_stride(); }),
        grid_.columns(), Placed{values, along_y_});
    along_y_.backward(values, (grid_.ny() + 1) / 2);
    write_pairs(values, in_lanes<double*>(first, count, [&](int row) { return rows[row]; }));
  }
}

// Whether the columns stand in the lanes as a Green function has them.
bool LaneSolver::follow(const InLanes& with) {
  const GreenTransform& green = **with[0]->green;
  const int first = with[0]->number;
  if (first % lanes != 0) return false;
  for (int lane = 0; lane < lanes; ++lane)
    if (with[lane]->green->get() != &green ||
        with[lane]->number != std::min(first + lane, green.key.columns - 1))
      return false;
  return true;
}

// The columns of Green functions, all real or all complex, brought together in lanes.
const double* LaneSolver::gathered(const InLanes& with, Scratch& scratch) const {
  const std::int64_t size = grid_.mx() * width(**with[0]->green);
  scratch.green.reserve(size);
  double* to = scratch.green.data();
  for (int lane = 0; lane < lanes; ++lane) {
    const double* from = set_of(**with[lane]->green, with[lane]->number / lanes);
    const int at = with[lane]->number % lanes;
    for (std::int64_t i = 0; i < size; i += lanes) to[i + lane] = from[i + at];
  }
  return to;
}

void LaneSolver::convolve(Complex* columns, std::span<const ColumnToConvolve> with,
                          Scratch& scratch) const {
  const int count = static_cast<int>(with.size()), nx = grid_.nx();
  const auto column = [&](int c) { return columns + c * grid_.column_stride(); };
  const auto real = [&](int c) { return (*with[c].green)->key.function.even(); };
  LanesOfComplex* values = scratch.values.data();
  for (int first = 0, end = 0; first < count; first = end) {
    while (end < count && end - first < lanes && real(end) == real(first)) ++end;
    const InLanes greens =
        in_lanes<const ColumnToConvolve*>(first, end, [&](int c) { return &with[c]; });
    linear::read_rows(in_lanes<const Complex*>(first, end, column), nx, values);
    const double* green = follow(greens) ? set_of(**with[first].green, with[first].number / lanes)
                                         : gathered(greens, scratch);
    convolve_set(values, real(first), green, scratch);
    linear::write_rows(values, nx, in_lanes<Complex*>(first, end, column));
  }
}

void LaneSolver::forward_lines(std::span<const double* const> lines, Complex* const* spectra,
                               Scratch& scratch) const {
  const int count = static_cast<int>(lines.size());
  LanesOfComplex* values = scratch.values.data();
  for (int first = 0; first < count; first += lanes) {
    read_pairs(in_lanes<const double*>(first, count, [&](int line) { return lines[line]; }),
               grid_.my(), values);
    along_y_.forward(values, grid_.my() / 2);
    linear::write_rows(Placed{values, along_y_}, grid_.columns(),
                       in_lanes<Complex*>(first, count, [&](int line) { return spectra[line]; }));
  }
}

// The transforms along y leave twice the values, those of the Green function and of the charge.
void LaneSolver::green_columns(Complex* columns, int count, Scratch& scratch) const {
  const int mx = grid_.mx();
  const double normalisation = 0.25 / (static_cast<double>(mx) * grid_.my());
  LanesOfComplex* values = scratch.values.data();
  const auto column = [&](int c) { return columns + c * grid_.column_stride(); };
  for (int c = 0; c < count; c += lanes) {
    linear::read_rows(in_lanes<const Complex*>(c, count, column), mx, values);
    for (int i = 0; i < mx; ++i)
      values[i] = {normalisation * values[i].re, normalisation * values[i].im};
    along_x_.forward(values);
    linear::write_rows(values, mx, in_lanes<Complex*>(c, count, column));
  }
}

GreenTransform LaneSolver::laid_out(const GreenTransform::Key& key, const Complex* columns) const {
  const int mx = grid_.mx(), sets = (key.columns + lanes - 1) / lanes;
  GreenTransform green{key, {}};
  const std::int64_t each = width(green);
  green.in_lanes = parallel::Buffer<double>(std::int64_t{sets} * mx * each);
  double* to = green.in_lanes.data();
  parallel::Buffer<LanesOfComplex> values(mx);
  for (int set = 0; set < sets; ++set) {
    linear::read_rows(
        in_lanes<const Complex*>(set * lanes, key.columns,
                                 [&](int c) { return columns + c * grid_.column_stride(); }),
        mx, values.data());
    for (int place = 0; place < mx; ++place, to += each) {
      parallel::store(to, values[place].re);
      if (each > lanes) parallel::store(to + lanes, values[place].im);
    }
  }
  return green;
}

}  // namespace phasewise::field
