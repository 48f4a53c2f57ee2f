// The Poisson solver of an emulated device with the CPU's transforms in lanes, and with its bits.
#pragma once

#include <span>

#include "field/gpu/poisson.hpp"
#include "field/lane_solver.hpp"
#include "gpu/graph.hpp"

namespace phasewise::field::gpu::PHASEWISE_PLATFORM {

namespace platform = phasewise::gpu::PHASEWISE_PLATFORM;

class LanePoisson final : public Poisson {
 public:
  explicit LanePoisson(const DoubledGrid& grid) : solver_(grid), scratch_(solver_.make_scratch()) {}

  void solve(std::span<const MeshToSolve> tasks) override {
    platform::perform([&] {
      for (const MeshToSolve& task : tasks)
        solver_.solve(task.charge, *task.green, task.potential, scratch_);
    });
  }
  void forward_rows(std::span<const double* const> from, Complex* to) override {
    platform::perform([&] { solver_.forward_rows(from, to, scratch_); });
  }
  void convolve(Complex* columns, std::span<const ColumnToConvolve> with) override {
    platform::perform([&] { solver_.convolve(columns, with, scratch_); });
  }
  void backward_rows(const Complex* from, std::span<double* const> to) override {
    platform::perform([&] { solver_.backward_rows(from, to, scratch_); });
  }

 private:
  LaneSolver solver_;
  LaneSolver::Scratch scratch_;
};

}  // namespace phasewise::field::gpu::PHASEWISE_PLATFORM
