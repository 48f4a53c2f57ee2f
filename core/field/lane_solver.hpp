// The passes of the Poisson solver with transforms of as many rows, then columns, as vectors have
// lanes. Zero halves of rows and columns are not transformed, and values that are not wanted are
// not found. Columns stay in the order in which their transform leaves them, in which the Green
// function's are kept too. Every row and column is computed by the same operations, whichever
// stand in the other lanes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "field/doubled_grid.hpp"
#include "field/green_transform.hpp"
#include "numerics/real_row_batch_fft.hpp"
#include "numerics/row_batch_fft.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::field {

class LaneSolver {
 public:
  using Complex = numerics::Complex;
  using LanesOfComplex = numerics::LanesOfComplex;
  static constexpr int at_once = parallel::lanes;  // rows or columns

  explicit LaneSolver(const DoubledGrid& grid);

  // Memory for one call at a time; each thread has its own.
  struct Scratch {
    parallel::Buffer<LanesOfComplex> tiles;   // the half-transformed grid, by columns at once
    parallel::Buffer<LanesOfComplex> values;  // the rows or columns being transformed
    parallel::Buffer<double> green;           // columns of several Green functions
  };
  Scratch make_scratch() const;

  // Computes potential[nx][ny] from charge[nx][ny].
  void solve(const double* charge, const GreenTransform& green, double* potential,
             Scratch& scratch) const;

  // Transforms rows of the mesh to rows of the half-transformed grid, row_stride() apart.
  void forward_rows(std::span<const double* const> rows, Complex* spectra, Scratch& scratch) const;
  // Convolves columns, column_stride() apart, each with its column of a Green function; the first
  // nx values of each are given and returned.
  void convolve(Complex* columns, std::span<const ColumnToConvolve> with, Scratch& scratch) const;
  void backward_rows(const Complex* spectra, std::span<double* const> rows, Scratch& scratch) const;

  // Transforms lines of the doubled grid, `my` values each, as forward_rows does.
  void forward_lines(std::span<const double* const> lines, Complex* const* spectra,
                     Scratch& scratch) const;
  // Transforms columns of the Green function along x, which have mx values, and normalises them.
  void green_columns(Complex* columns, int count, Scratch& scratch) const;
  // What `convolve` reads, of columns that green_columns made.
  GreenTransform laid_out(const GreenTransform::Key& key, const Complex* columns) const;

 private:
  struct Placed;  // values of a row's transform in the order of their frequencies

  // Values of a column that are read and written.
  int half() const { return grid_.mx() / 2; }
  int tiles() const { return (grid_.columns() + at_once - 1) / at_once; }
  std::int64_t tile_size() const;
  void to_tiles(const LanesOfComplex* values, LanesOfComplex* tiles) const;
  void from_tiles(const LanesOfComplex* tiles, const std::array<int, at_once>& rows,
                  LanesOfComplex* values) const;
  void read_pairs(const std::array<const double*, at_once>& rows, int n,
                  LanesOfComplex* values) const;
  void write_pairs(const LanesOfComplex* values, const std::array<double*, at_once>& rows) const;
  using InLanes = std::array<const ColumnToConvolve*, at_once>;
  static bool follow(const InLanes& with);
  // The doubles of one place in lanes.
  static std::int64_t width(const GreenTransform& green);
  const double* set_of(const GreenTransform& green, int set) const;
  const double* gathered(const InLanes& with, Scratch& scratch) const;
  // `values` are nx, and have room for half of the doubled grid's; `green` is real or complex.
  void convolve_set(LanesOfComplex* values, bool real, const double* green, Scratch& scratch) const;

  DoubledGrid grid_;
  numerics::RealRowBatchTransform along_y_;
  numerics::RowBatchTransform along_x_;
};

}  // namespace phasewise::field
