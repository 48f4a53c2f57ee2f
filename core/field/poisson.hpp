// The open-boundary Poisson equation on a mesh: u = G * charge with the integrated Green function
// of -ln r, by FFT on the doubled grid (Hockney), source and target windows apart by whole cells
// (shifted Green function). Qiang, Furman, Ryne, PRSTAB 5 (2002) 104402; J. Comput. Phys. 198
// (2004) 278 (whose equation 57 lacks 1/(hx hy)).
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "field/mesh.hpp"
#include "numerics/fft.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::field {

// The transform of a Green function on the doubled grid, stored column by column: [ky][kx], ky = 0
// … my/2.
struct GreenTransform {
  double hx, hy;
  int shift_x, shift_y;  // target window minus source window, in cells
  parallel::Buffer<numerics::Complex> values;
};

// Average over a cell of -1/2 ln(x² + y²), centred on (x, y), cell hx by hy [m]; dimensionless.
double integrated_green(double x, double y, double hx, double hy);

class PoissonSolver {
 public:
  PoissonSolver(int nx, int ny);

  // Memory of one solve at a time; each thread has its own.
  struct Scratch {
    parallel::Buffer<numerics::Complex> rows;     // [nx][ky], after the transforms along y
    parallel::Buffer<numerics::Complex> columns;  // a few columns of the doubled grid
    parallel::Buffer<double> line;                // one row of the doubled grid
  };
  Scratch make_scratch() const;

  // The transform for this cell size and shift; kept for later calls until `capacity` others have
  // been asked for.
  std::shared_ptr<const GreenTransform> green(double hx, double hy, int shift_x, int shift_y,
                                              int threads);
  void set_green_capacity(std::size_t capacity) { capacity_ = capacity; }

  // potential[nx][ny] on the target window from charge[nx][ny] (whatever unit: u = -ln r of a unit
  // charge) on the source window. Card: 2 nx real transforms of my, 2 (my/2 + 1) complex ones of
  // mx; reads the Green transform once.
  void solve(const double* charge, const GreenTransform& green, double* potential,
             Scratch& scratch) const;
  double flops_per_solve() const;
  double bytes_per_solve() const;

 private:
  void convolve_columns(int first, int count, const GreenTransform& green, Scratch& scratch) const;
  std::shared_ptr<const GreenTransform> compute_green(double hx, double hy, int shift_x,
                                                      int shift_y, int threads) const;
  int nx_, ny_;
  int mx_, my_;  // doubled grid, fast sizes
  int ky_;       // my/2 + 1
  numerics::ComplexRowTransform along_x_;
  numerics::RealRowTransform along_y_;
  std::size_t capacity_ = 8;
  std::list<std::shared_ptr<const GreenTransform>> kept_;  // most recent first
};

}  // namespace phasewise::field
