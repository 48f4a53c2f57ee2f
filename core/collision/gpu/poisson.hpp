// The Poisson solver of a device behind the interface of the collision.
#pragma once

#include "collision/device_work.hpp"
#include "field/gpu/poisson.hpp"

namespace phasewise::collision::gpu::PHASEWISE_PLATFORM {

class PoissonOnDevice final : public DevicePoisson {
 public:
  explicit PoissonOnDevice(const field::DoubledGrid& grid) : solver_(grid) {}
  void solve(std::span<const field::MeshToSolve> tasks) override { solver_.solve(tasks); }
  void forward_rows(std::span<const double* const> from, Complex* to) override {
    solver_.forward_rows(from, to);
  }
  void convolve(Complex* columns, std::span<const field::ColumnToConvolve> with) override {
    solver_.convolve(columns, with);
  }
  void backward_rows(const Complex* from, std::span<double* const> to) override {
    solver_.backward_rows(from, to);
  }

 private:
  field::gpu::PHASEWISE_PLATFORM::Poisson solver_;
};

}  // namespace phasewise::collision::gpu::PHASEWISE_PLATFORM
