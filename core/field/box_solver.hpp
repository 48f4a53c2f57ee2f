// The Poisson equation of a box that is open on all sides, or periodic along z: the charge is
// convolved with the Green function 1/r, or with its sum over all periods, on the doubled grid, by
// transforms. Hockney, Eastwood, "Computer Simulation Using Particles" (1988), section 6-5-4.
//
// Planes of constant z are transformed along y and x, then columns along z. Rows and planes of the
// doubled grid without charge are not transformed, nor are those of the potential outside the mesh.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "field/box_green.hpp"
#include "field/doubled_box.hpp"
#include "field/green_cache.hpp"
#include "numerics/fft.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::field {

struct BoxGreenKey {
  std::array<double, 3> h{};  // m, cells
  bool operator==(const BoxGreenKey&) const = default;
};

// Columns [first, first + count) of the transform of a Green function, green_stride() values apart.
struct BoxGreenTransform {
  struct Key {
    BoxGreenKey function;
    int first, count;
    bool operator==(const Key&) const = default;
  };
  Key key;
  parallel::Buffer<double> values;
};

class BoxSolver {
 public:
  using Complex = numerics::Complex;
  using GreenPointer = GreenCache<BoxGreenTransform>::Pointer;

  BoxSolver(const DoubledBox& grid, BoxGreen kind, int threads);

  const DoubledBox& grid() const { return grid_; }

  // Computes potential[nz][nx][ny] from charge[nz][nx][ny] with the whole Green function; a unit
  // charge has u = 1/r [1/m].
  void solve(const double* charge, const BoxGreenTransform& green, double* potential);
  GreenPointer green(const BoxGreenKey& function);

  // The following do the same in parts. `forward` transforms `count` planes of the mesh to as many
  // of columns() values; `backward` transforms them back and overwrites them.
  void forward(const double* charge, int count, Complex* planes) const;
  void backward(Complex* planes, int count, double* potential) const;
  // Planes in two steps: `count` rows of ny values to as many rows of line_stride() values along y,
  // and `count` lines along x, row_stride() values apart, whose first nx values are given and
  // returned.
  void forward_rows(const double* charge, int count, Complex* rows) const;
  void forward_lines(Complex* lines, int count) const;
  void backward_lines(Complex* lines, int count) const;
  void backward_rows(Complex* rows, int count, double* potential) const;
  // Convolves `count` columns, column_stride() values apart, with as many columns of the Green
  // function; the first nz values of each are given and returned.
  void convolve(Complex* columns, int count, const double* green) const;
  // Does the same in place for all columns of all planes, with the whole Green function.
  void convolve_planes(Complex* planes, const BoxGreenTransform& green) const;

  // The Green function in parts: planes [first, first + count) of columns() values; then, after a
  // transpose, `count` columns of green_planes() values, transformed in place and normalised for
  // the transforms of a solve.
  void green_planes(const BoxGreenKey& function, int first, int count, double* planes) const;
  void green_columns(double* columns, int count) const;

  // Parts of Green functions are kept as long as they are among the last `capacity` ones used.
  void set_green_capacity(std::size_t capacity) { kept_.set_capacity(capacity); }
  // Returns null if the part is not kept. Processes that call find and keep in the same order find
  // the same.
  GreenPointer find_green(const BoxGreenTransform::Key& key) { return kept_.find(key); }
  GreenPointer keep_green(GreenPointer made) { return kept_.keep(std::move(made)); }

 private:
  void forward_plane(const double* charge, Complex* plane) const;
  void backward_plane(Complex* plane, double* potential) const;
  void green_plane(const double* values, double* plane) const;

  DoubledBox grid_;
  BoxGreen kind_;
  int threads_;
  numerics::RealRowTransform along_y_;
  numerics::ComplexRowTransform along_x_, along_z_;
  numerics::RealRowTransform even_x_, even_z_;
  GreenCache<BoxGreenTransform> kept_;
};

}  // namespace phasewise::field
