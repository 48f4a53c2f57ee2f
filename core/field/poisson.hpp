// The open-boundary Poisson equation on a mesh: u = G * charge with the integrated Green function
// of -ln r, by FFT on the doubled grid (Hockney), source and target windows apart by whole cells
// (shifted Green function). Qiang, Furman, Ryne, PRSTAB 5 (2002) 104402; J. Comput. Phys. 198
// (2004) 278 (whose equation 57 lacks 1/(hx hy)).
//
// A solve can be divided over processes: rows of the mesh first, then, after a transpose, columns
// of the transform, then rows again. Every row and column is worked on alone, by the same
// operations, so that the results have the same bits however they are divided.
#pragma once

#include <cstdint>
#include <list>
#include <memory>

#include "field/mesh.hpp"
#include "numerics/fft.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::field {

// Columns [first_column, first_column + columns) of the transform of a Green function on the
// doubled grid, one after the other: [column][kx], column_stride() values apart.
struct GreenTransform {
  double hx, hy;
  int shift_x, shift_y;  // target window minus source window, in cells
  int first_column, columns;
  parallel::Buffer<numerics::Complex> values;
};

// Average over a cell of -1/2 ln(x² + y²), centred on (x, y), cell hx by hy [m]; dimensionless.
double integrated_green(double x, double y, double hx, double hy);

class PoissonSolver {
 public:
  using Complex = numerics::Complex;
  using GreenPointer = std::shared_ptr<const GreenTransform>;

  PoissonSolver(int nx, int ny);

  int rows() const { return nx_; }
  int doubled_rows() const { return mx_; }
  int columns() const { return ky_; }
  // From one row of a half-transformed grid, and from one column of the doubled grid, to the next:
  // complex values, columns() or doubled_rows() of them used. Both keep rows and columns on 64-byte
  // boundaries where the first lies on one, as every grid and line given to this class does.
  std::int64_t row_stride() const;
  std::int64_t column_stride() const;

  // Memory of one solve at a time; each thread has its own.
  struct Scratch {
    parallel::Buffer<Complex> rows;     // [nx][ky], after the transforms along y
    parallel::Buffer<Complex> columns;  // a few columns of the doubled grid
    parallel::Buffer<double> line;      // one row of the doubled grid
  };
  Scratch make_scratch() const;
  parallel::Buffer<double> make_line() const;

  // potential[nx][ny] on the target window from charge[nx][ny] (whatever unit: u = -ln r of a unit
  // charge) on the source window, with the whole Green function. Card: 2 nx real transforms of my,
  // 2 (my/2 + 1) complex ones of mx; reads the Green transform once.
  void solve(const double* charge, const GreenTransform& green, double* potential,
             Scratch& scratch) const;
  double flops_per_solve() const { return row_flops() + column_flops(); }
  double bytes_per_solve() const { return row_bytes() + column_bytes(); }

  // The same by parts. `rows` rows of the mesh to as many of the half-transformed grid.
  void forward_rows(const double* charge, int rows, Complex* spectrum, double* line) const;
  // `count` columns, of which the first nx values are given and returned, by as many of the Green
  // function's.
  void convolve(Complex* columns, int count, const Complex* green) const;
  // `rows` rows of the half-transformed grid, which are overwritten, to as many of the mesh.
  void backward_rows(Complex* spectrum, int rows, double* potential, double* line) const;

  // Cards of the parts: all rows there and back, all columns.
  double row_flops() const;
  double row_bytes() const;
  double column_flops() const;
  double column_bytes() const;

  // The whole transform for this cell size and shift; kept for later calls until `capacity` others
  // have been asked for.
  GreenPointer green(double hx, double hy, int shift_x, int shift_y, int threads);
  void set_green_capacity(std::size_t capacity) { capacity_ = capacity; }
  void forget_greens() { kept_.clear(); }

  // Green function by parts: rows [first, first + count) of the doubled grid's mx, transformed
  // along y, displacement d at place d modulo mx, zero where none belongs; then, after the
  // transpose, `count` columns of mx values, transformed along x and normalised for both
  // directions.
  void green_rows(double hx, double hy, int shift_x, int shift_y, int first, int count,
                  Complex* out, int threads) const;
  void green_columns(Complex* columns, int count) const;
  // The part that was kept, or nothing. Calls of find and keep in the same order on all processes
  // find the same ones there.
  GreenPointer find_green(double hx, double hy, int shift_x, int shift_y, int first_column,
                          int columns);
  // Keeps a copy of these columns, column_stride() values apart; of null only that they were made.
  GreenPointer keep_green(double hx, double hy, int shift_x, int shift_y, int first_column,
                          int columns, const Complex* values);

  // Card of an unshifted Green function, all parts together: an antiderivative (70 flops) at each
  // corner, a real transform of my at each distance along x, my/2 + 1 complex ones of mx. One
  // process uses each distance for both directions; several compute most of them twice. A shift
  // makes up to four times the corners and twice the real transforms.
  double flops_per_green(int parts = 1) const;
  double bytes_per_green(int parts = 1) const;

 private:
  void convolve_columns(int first, int count, const GreenTransform& green, Scratch& scratch) const;
  std::shared_ptr<GreenTransform> make_green(double hx, double hy, int shift_x, int shift_y,
                                             int first_column, int columns) const;
  GreenPointer compute_green(double hx, double hy, int shift_x, int shift_y, int threads) const;
  GreenPointer keep(GreenPointer green);
  int nx_, ny_;
  int mx_, my_;  // doubled grid, fast sizes
  int ky_;       // my/2 + 1
  numerics::ComplexRowTransform along_x_;
  numerics::RealRowTransform along_y_;
  std::size_t capacity_ = 8;
  std::list<GreenPointer> kept_;  // most recent first
};

}  // namespace phasewise::field
