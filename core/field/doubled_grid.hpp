// The doubled grid (Hockney) for the open-boundary Poisson equation of a mesh: its sizes, its
// memory layout, and the cards of the solver's kernels. It plans no transforms, so that it is cheap
// to make.
#pragma once

#include <cstdint>

#include "numerics/fft.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::field {

// The transforms of a solver: FFTW's, row by row, or own ones of several rows at once
// (field/lane_solver.hpp), which are faster for every size of a doubled grid. They differ by
// rounding.
enum class Transforms : std::uint8_t { fftw, lanes };

class DoubledGrid {
 public:
  DoubledGrid(int nx, int ny, Transforms transforms = Transforms::fftw);

  Transforms transforms() const { return transforms_; }

  // Nodes of the mesh.
  int nx() const { return nx_; }
  int ny() const { return ny_; }
  // Nodes of the doubled grid: at least 2n - 1, of a size that transforms fast.
  int mx() const { return mx_; }
  int my() const { return my_; }
  // Columns of the half-transformed grid, whose rows are transformed along y: my/2 + 1.
  int columns() const { return my_ / 2 + 1; }

  // The strides [complex values] of the rows of the half-transformed grid, and of columns of mx
  // values. Rows and columns begin on 64-byte boundaries if the first does, so that FFTW takes the
  // same path for each.
  std::int64_t row_stride() const { return padded(columns()); }
  std::int64_t column_stride() const { return padded(mx_); }

  // One item is a mesh solved.
  parallel::KernelCard solve_card() const;
  // One item is all rows of a mesh, transformed forward or backward.
  parallel::KernelCard row_card() const;
  // One item is all columns of a mesh, convolved.
  parallel::KernelCard column_card() const;
  // One item is the Green function of an unshifted window, made by `parts` processes. A single
  // process uses each distance along x for both directions; several compute most of them twice. (A
  // shift needs up to four times the corners and twice the real transforms.)
  parallel::KernelCard green_card(int parts = 1) const;

 private:
  double transform_flops(int m) const;
  static std::int64_t padded(std::int64_t values) {
    return (values + numerics::complex_per_line - 1) / numerics::complex_per_line *
           numerics::complex_per_line;
  }

  int nx_, ny_;
  int mx_, my_;
  Transforms transforms_;
};

}  // namespace phasewise::field
