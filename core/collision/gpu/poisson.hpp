// The Poisson solver of a device, behind the collision's interface.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "collision/device_work.hpp"
#include "field/gpu/batched_poisson.hpp"
#if defined(__CUDACC__)
#include "field/gpu/fused_poisson.hpp"
#else
#include "field/gpu/lane_poisson.hpp"
#endif

namespace phasewise::collision::gpu::PHASEWISE_PLATFORM {

using Solver = field::gpu::PHASEWISE_PLATFORM::Poisson;

// A GPU has transforms of its own.
inline field::Transforms transforms_of_device([[maybe_unused]] field::Transforms of_cpu) {
#if defined(__CUDACC__)
  return field::Transforms::fftw;
#else
  return of_cpu;
#endif
}

inline std::shared_ptr<Solver> make_solver(const field::DoubledGrid& grid) {
  namespace solvers = field::gpu::PHASEWISE_PLATFORM;
#if defined(__CUDACC__)
  if (solvers::FusedPoisson::suits(grid)) return std::make_shared<solvers::FusedPoisson>(grid);
#else
  if (grid.transforms() == field::Transforms::lanes)
    return std::make_shared<solvers::LanePoisson>(grid);
#endif
  return std::make_shared<solvers::BatchedPoisson>(grid);
}

// The solver of a grid. All works that solve on this grid share it and use it one after another, or
// together.
inline std::shared_ptr<Solver> solver_of(const field::DoubledGrid& grid) {
  static std::map<std::tuple<int, int, field::Transforms>, std::weak_ptr<Solver>> known;
  std::weak_ptr<Solver>& kept = known[{grid.nx(), grid.ny(), grid.transforms()}];
  std::shared_ptr<Solver> solver = kept.lock();
  if (!solver) kept = solver = make_solver(grid);
  return solver;
}

// The meshes on one grid that members want solved.
class SolveRequest final : public phasewise::gpu::PHASEWISE_PLATFORM::Request {
 public:
  SolveRequest(std::shared_ptr<Solver> solver, std::span<const field::MeshToSolve> tasks)
      : solver_(std::move(solver)), tasks_(tasks.begin(), tasks.end()) {}
  const void* kind() const override { return solver_.get(); }
  void join(Request& other) override {
    const auto& more = static_cast<SolveRequest&>(other).tasks_;
    tasks_.insert(tasks_.end(), more.begin(), more.end());
  }
  double size() const override { return static_cast<double>(tasks_.size()); }
  void run(const std::byte* /*given*/) override { solver_->solve(tasks_); }

 private:
  std::shared_ptr<Solver> solver_;
  std::vector<field::MeshToSolve> tasks_;
};

class PoissonOnDevice final : public DevicePoisson {
 public:
  explicit PoissonOnDevice(const field::DoubledGrid& grid) : solver_(solver_of(grid)) {}
  void solve(std::span<const field::MeshToSolve> tasks) override {
    if (tasks.empty()) return;
    if (auto* asks = phasewise::gpu::PHASEWISE_PLATFORM::member())
      return asks->add(std::make_unique<SolveRequest>(solver_, tasks));
    solver_->solve(tasks);
  }
  void forward_rows(std::span<const double* const> from, Complex* to) override {
    solver_->forward_rows(from, to);
  }
  void convolve(Complex* columns, std::span<const field::ColumnToConvolve> with) override {
    solver_->convolve(columns, with);
  }
  void backward_rows(const Complex* from, std::span<double* const> to) override {
    solver_->backward_rows(from, to);
  }

 private:
  std::shared_ptr<Solver> solver_;
};

}  // namespace phasewise::collision::gpu::PHASEWISE_PLATFORM
