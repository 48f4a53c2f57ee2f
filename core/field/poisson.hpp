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
#include <optional>
#include <span>

#include "field/doubled_grid.hpp"
#include "field/green_cache.hpp"
#include "field/green_transform.hpp"
#include "field/integrated_green.hpp"
#include "field/lane_solver.hpp"
#include "numerics/fft.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::field {

class PoissonSolver {
 public:
  using Complex = numerics::Complex;
  using GreenPointer = GreenCache<GreenTransform>::Pointer;

  explicit PoissonSolver(const DoubledGrid& grid);
  PoissonSolver(int nx, int ny, Transforms transforms = Transforms::fftw)
      : PoissonSolver(DoubledGrid(nx, ny, transforms)) {}

  const DoubledGrid& grid() const { return grid_; }

  // Memory for one solve at a time; each thread has its own.
  struct Scratch {
    parallel::Buffer<Complex> rows;     // [nx][columns], after the transforms along y
    parallel::Buffer<Complex> columns;  // a few columns of the doubled grid
    parallel::Buffer<double> line;      // one row of the doubled grid
    LaneSolver::Scratch lanes = {};     // instead of these, with transforms in lanes
  };
  Scratch make_scratch() const;

  // Computes potential[nx][ny] on the target window from charge[nx][ny] on the source window (in
  // any unit; a unit charge has u = -ln r), with the whole Green function.
  void solve(const double* charge, const GreenTransform& green, double* potential,
             Scratch& scratch) const;

  // The following do the same in parts. How many rows or columns are transformed together: parts of
  // as many are as fast as larger ones.
  int at_once() const { return lanes_ ? LaneSolver::at_once : 1; }
  // This one transforms rows of the mesh to as many of the half-transformed grid.
  void forward_rows(std::span<const double* const> rows, Complex* spectra, Scratch& scratch) const;
  // Convolves columns, column_stride() apart, each with its column of a Green function; the first
  // nx values of each are given and returned.
  void convolve(Complex* columns, std::span<const ColumnToConvolve> with, Scratch& scratch) const;
  // Transforms rows of the half-transformed grid, which are overwritten, to as many of the mesh.
  void backward_rows(Complex* spectra, std::span<double* const> rows, Scratch& scratch) const;

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
  void zero_beyond_row(Scratch& scratch) const;
  void forward_row(const double* charge, Complex* spectrum, Scratch& scratch) const;
  void backward_row(Complex* spectrum, double* potential, Scratch& scratch) const;
  void convolve(Complex* columns, int count, const Complex* green) const;
  void convolve_columns(int first, int count, const GreenTransform& green, Scratch& scratch) const;
  void transform_distances(std::span<const GreenRow> rows, const GreenRows& green, int first,
                           Complex* out) const;
  GreenPointer compute_green(const GreenTransform::Key& key, int threads) const;

  DoubledGrid grid_;
  // Either transforms in lanes or FFTW's.
  std::optional<LaneSolver> lanes_;
  std::optional<numerics::ComplexRowTransform> along_x_;
  std::optional<numerics::RealRowTransform> along_y_;
  GreenCache<GreenTransform> kept_;
};

}  // namespace phasewise::field
