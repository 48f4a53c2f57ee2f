// The open-boundary Poisson equation on a mesh: u = G * charge with the integrated Green function
// of -ln r, by FFT on the doubled grid (Hockney); source and target windows may be whole cells
// apart (shifted Green function). Qiang, Furman, Ryne, PRSTAB 5 (2002) 104402; J. Comput. Phys. 198
// (2004) 278.
//
// A solve can be divided over processes: rows of the mesh first, then, after a transpose, columns
// of the transform, then rows again. Every row and column is processed separately by the same
// operations, so that the results have the same bits however they are divided.
#pragma once

#include <cstddef>
#include <memory>

#include "field/doubled_grid.hpp"
#include "field/green_cache.hpp"
#include "numerics/complex_product.hpp"
#include "numerics/fft.hpp"
#include "parallel/buffer.hpp"
#include "parallel/macros.hpp"

namespace phasewise::field {

// Computes c *= g, with the real part before the imaginary part.
PHASEWISE_HD void multiply_complex(double* c, const double* g) {
  const auto [re, im] = numerics::complex_product(c[0], c[1], g[0], g[1]);
  c[0] = re;
  c[1] = im;
}

// The Green function between two windows of a mesh.
struct GreenKey {
  double hx = 0.0, hy = 0.0;     // m, cells
  int shift_x = 0, shift_y = 0;  // target window minus source window, in cells
  bool operator==(const GreenKey&) const = default;
};

// Columns [first_column, first_column + columns) of the transform of a Green function on the
// doubled grid, one after the other: [column][kx], column_stride() values apart.
struct GreenTransform {
  struct Key {
    GreenKey function;
    int first_column, columns;
    bool operator==(const Key&) const = default;
  };
  Key key;
  parallel::Buffer<numerics::Complex> values;
};

// One mesh to solve on a device: charge and potential [nx][ny] in its memory.
struct MeshToSolve {
  const double* charge;
  double* potential;
  std::shared_ptr<const GreenTransform> green;
};

// One column to convolve with column `number` of those that are kept of a Green function.
struct ColumnToConvolve {
  const std::shared_ptr<const GreenTransform>* green;
  int number;
};

class PoissonSolver {
 public:
  using Complex = numerics::Complex;
  using GreenPointer = GreenCache<GreenTransform>::Pointer;

  PoissonSolver(int nx, int ny);

  const DoubledGrid& grid() const { return grid_; }

  // Memory for one solve at a time; each thread has its own.
  struct Scratch {
    parallel::Buffer<Complex> rows;     // [nx][columns], after the transforms along y
    parallel::Buffer<Complex> columns;  // a few columns of the doubled grid
    parallel::Buffer<double> line;      // one row of the doubled grid
  };
  Scratch make_scratch() const;
  parallel::Buffer<double> make_line() const;

  // Computes potential[nx][ny] on the target window from charge[nx][ny] on the source window (in
  // any unit; a unit charge has u = -ln r), with the whole Green function.
  void solve(const double* charge, const GreenTransform& green, double* potential,
             Scratch& scratch) const;

  // The following do the same in parts. This one transforms `rows` rows of the mesh to as many of
  // the half-transformed grid.
  void forward_rows(const double* charge, int rows, Complex* spectrum, double* line) const;
  // Convolves `count` columns with as many columns of the Green function; the first nx values of
  // each are given and returned.
  void convolve(Complex* columns, int count, const Complex* green) const;
  // Transforms `rows` rows of the half-transformed grid, which are overwritten, to as many of the
  // mesh.
  void backward_rows(Complex* spectrum, int rows, double* potential, double* line) const;

  // The whole transform of this Green function. It is kept for later calls as long as it is among
  // the last `capacity` ones used.
  GreenPointer green(const GreenKey& function, int threads);
  void set_green_capacity(std::size_t capacity) { kept_.set_capacity(capacity); }
  void forget_greens() { kept_.clear(); }

  // The Green function by parts: rows [first, first + count) of the doubled grid, transformed along
  // y; then, after the transpose, `count` columns of mx values, transformed along x and normalised
  // for the transforms of a solve.
  void green_rows(const GreenKey& function, int first, int count, Complex* out, int threads) const;
  void green_columns(Complex* columns, int count) const;
  // The part if it is kept, or null. Processes that call find and keep in the same order find the
  // same.
  GreenPointer find_green(const GreenTransform::Key& key) { return kept_.find(key); }
  // Keeps a copy of these columns, column_stride() values apart; if null, only the fact that they
  // were made.
  GreenPointer keep_green(const GreenTransform::Key& key, const Complex* values);

 private:
  void convolve_columns(int first, int count, const GreenTransform& green, Scratch& scratch) const;
  GreenPointer compute_green(const GreenTransform::Key& key, int threads) const;

  DoubledGrid grid_;
  numerics::ComplexRowTransform along_x_;
  numerics::RealRowTransform along_y_;
  GreenCache<GreenTransform> kept_;
};

}  // namespace phasewise::field
