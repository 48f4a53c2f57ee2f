// Solves the Poisson equation of slices together with the other processes of a column: each
// transforms its rows of the mesh, then, after the transpose, its columns of the transform.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "collision/contents.hpp"
#include "collision/device_work.hpp"
#include "collision/exchange/plan.hpp"
#include "field/poisson.hpp"
#include "workload/listener.hpp"

namespace phasewise::collision {

class ColumnSolver {
 public:
  using Listener = workload::Listener;
  using GreenPointer = std::shared_ptr<const field::GreenTransform>;
  // One grid to solve for: charge and potential [nx][ny], of which this process uses its own rows,
  // and this process's columns of the Green function's transform.
  struct Grid {
    const double* charge;
    double* potential;
    GreenPointer green;
  };

  // `solver` is null without contents; `device` is null if the kernels run on the CPU.
  ColumnSolver(const field::DoubledGrid& grid, field::PoissonSolver* solver,
               const CollisionPlan& plan, int threads, Contents contents, DeviceWork* device);

  bool alone() const { return processes_ == 1; }
  // Returns the transform, kept from before or new. Collective over the column, whose processes ask
  // for the same transforms in the same order.
  GreenPointer green(const field::GreenKey& function, Listener& listener);
  // Makes a new transform, even if one is kept.
  GreenPointer make_green(const field::GreenKey& function, Listener& listener);
  // Number of transforms made so far.
  std::int64_t greens_made() const { return greens_made_; }
  // Solves for grids that share messages; `padding` grids without contents fill the messages up.
  // Calls `progress` between its steps. Collective over the column.
  void solve(std::span<const Grid> grids, int padding, const std::function<void()>& progress,
             Listener& listener);

 private:
  GreenPointer green_by_parts(const field::GreenKey& function, Listener& listener);
  using Complex = numerics::Complex;

  void solve_alone(std::span<const Grid> grids, Listener& listener);
  template <class F>
  auto each_row(std::span<const Grid> grids, const F& f) const;
  template <class F>
  void in_groups(int all, const F& f) const;
  // The passes of a solve on the rows and columns of this process.
  void forward_rows(std::span<const Grid> grids);
  void convolve(std::span<const Grid> grids);
  void backward_rows(std::span<const Grid> grids);
  void reserve(int grids);
  // Transposes rows_[grid][row][column] into columns_[grid][column][row], or back.
  void transpose(int grids, Direction direction, Listener& listener);
  // The complex values of a process's part of a grid, counted as doubles.
  std::int64_t rows_size() const;
  std::int64_t columns_size() const;
  bool real() const { return contents_ == Contents::particles; }
  std::pair<int, int> rows_of(int process, int rows_in_all) const;
  std::pair<int, int> columns_of(int process) const;
  // This process's part of a Green function's transform.
  field::GreenTransform::Key my_part(const field::GreenKey& function) const;

  const field::DoubledGrid& grid_;
  field::PoissonSolver* solver_;
  const CollisionPlan& plan_;
  int threads_;
  Contents contents_;
  std::int64_t greens_made_ = 0;
  int processes_, me_;
  std::unique_ptr<DevicePoisson> on_device_;            // null if the kernels run on the CPU
  std::vector<field::PoissonSolver::Scratch> scratch_;  // per thread
  MeshValues rows_, columns_;                           // complex; empty without contents
};

}  // namespace phasewise::collision
