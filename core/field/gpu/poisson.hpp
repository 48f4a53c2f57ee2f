// The open-boundary Poisson equation on a device, for many meshes at once; the solvers have one
// interface.
#pragma once

#include <memory>
#include <span>

#include "field/doubled_grid.hpp"
#include "field/green_transform.hpp"
#include "gpu/platform.hpp"

namespace phasewise::field::gpu::PHASEWISE_PLATFORM {

class Poisson {
 public:
  using Complex = numerics::Complex;

  Poisson() = default;
  Poisson(const Poisson&) = delete;
  Poisson& operator=(const Poisson&) = delete;
  virtual ~Poisson() = default;

  virtual void solve(std::span<const MeshToSolve> tasks) = 0;

  // The same in parts, for processes that share meshes: transforms rows of ny charges to rows of
  // the half-transformed grid, row_stride() apart.
  virtual void forward_rows(std::span<const double* const> from, Complex* to) = 0;
  // Convolves columns, column_stride() apart, each with its column of a Green function.
  virtual void convolve(Complex* columns, std::span<const ColumnToConvolve> with) = 0;
  virtual void backward_rows(const Complex* from, std::span<double* const> to) = 0;
};

}  // namespace phasewise::field::gpu::PHASEWISE_PLATFORM
