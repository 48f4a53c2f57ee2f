#include "collision/column_solver.hpp"

#include <algorithm>

#include "parallel/loops.hpp"

namespace phasewise::collision {
namespace {

numerics::Complex* complex(double* values) { return reinterpret_cast<numerics::Complex*>(values); }

}  // namespace

ColumnSolver::ColumnSolver(const field::DoubledGrid& grid, field::PoissonSolver* solver,
                           const CollisionPlan& plan, int threads, Contents contents,
                           DeviceWork* device)
    : grid_(grid),
      solver_(solver),
      plan_(plan),
      threads_(threads),
      contents_(contents),
      processes_(plan.division().shape(plan.own_beam()).pcol),
      me_(plan.division().row()),
      on_device_(device != nullptr ? device->poisson(grid) : nullptr) {
  rows_.live_on(device);
  columns_.live_on(device);
  if (real())
    for (int t = 0; t < threads; ++t) scratch_.push_back(solver_->make_scratch());
}

std::pair<int, int> ColumnSolver::rows_of(int process, int rows_in_all) const {
  return exchange::share(rows_in_all, processes_, process);
}

std::pair<int, int> ColumnSolver::columns_of(int process) const {
  return exchange::share(grid_.columns(), processes_, process);
}

void ColumnSolver::reserve(int grids) {
  if (!real()) return;
  const int max_columns = columns_of(0).second, max_rows = rows_of(0, grid_.nx()).second;
  rows_.reserve(2 *
                std::max<std::int64_t>(static_cast<std::int64_t>(grids) * max_rows,
                                       rows_of(0, grid_.mx()).second) *
                grid_.row_stride());
  columns_.reserve(2 * static_cast<std::int64_t>(grids) * max_columns * grid_.column_stride());
}

std::int64_t ColumnSolver::rows_size() const {
  const auto [first, last] = rows_of(me_, grid_.nx());
  return 2 * (last - first) * grid_.row_stride();
}

std::int64_t ColumnSolver::columns_size() const {
  const auto [first, last] = columns_of(me_);
  return 2 * (last - first) * grid_.column_stride();
}

void ColumnSolver::transpose(int grids, Direction direction, Listener& listener) {
  const exchange::ItemBuffer rows = rows_.exchanged(rows_size()),
                             columns = columns_.exchanged(columns_size());
  if (direction == Direction::to_columns)
    listener.transpose(plan_.solve(grids, direction), rows, columns);
  else
    listener.transpose(plan_.solve(grids, direction), columns, rows);
}

field::GreenTransform::Key ColumnSolver::my_part(const field::GreenKey& function) const {
  const auto [begin, end] = columns_of(me_);
  return {function, begin, end - begin};
}

// A transform that is kept costs nothing. Without contents the solver keeps only the key.
ColumnSolver::GreenPointer ColumnSolver::green(const field::GreenKey& function,
                                               Listener& listener) {
  GreenPointer green = solver_->find_green(my_part(function));
  if (green) return green;
  green = make_green(function, listener);
  return real() ? green : solver_->keep_green(my_part(function), nullptr);
}

ColumnSolver::GreenPointer ColumnSolver::make_green(const field::GreenKey& function,
                                                    Listener& listener) {
  ++greens_made_;
  if (!alone()) return green_by_parts(function, listener);
  GreenPointer green;
  listener.kernel(grid_.green_card(), 1.0, [&] { green = solver_->green(function, threads_); });
  return green;
}

// The host makes the transform, and exchanges it in its own memory. A Green function is one grid
// with the rows of the doubled grid.
ColumnSolver::GreenPointer ColumnSolver::green_by_parts(const field::GreenKey& function,
                                                        Listener& listener) {
  const std::pair<int, int> rows = rows_of(me_, grid_.mx());
  const field::GreenTransform::Key part = my_part(function);
  const parallel::KernelCard card = grid_.green_card(processes_);
  reserve(1);
  double *half_made = rows_.idle_host(), *made = columns_.idle_host();
  listener.kernel(card, 1.0 / processes_, [&] {
    solver_->green_rows(function, rows.first, rows.second - rows.first, complex(half_made),
                        threads_);
  });
  listener.transpose(plan_.green(), {half_made, rows_size()}, {made, columns_size()});
  GreenPointer green;
  // The items of the kernel above already include this work.
  listener.kernel(card, 0.0, [&] {
    solver_->green_columns(complex(made), part.columns);
    green = solver_->keep_green(part, complex(made));
  });
  return green;
}

void ColumnSolver::solve_alone(std::span<const Grid> grids, Listener& listener) {
  listener.kernel(grid_.solve_card(), static_cast<double>(grids.size()), [&] {
    if (on_device_) {
      std::vector<field::MeshToSolve> tasks;
      for (const Grid& grid : grids) tasks.push_back({grid.charge, grid.potential, grid.green});
      return on_device_->solve(tasks);
    }
    parallel::for_tasks(static_cast<int>(grids.size()), threads_, [&](int i, int thread) {
      const Grid& grid = grids[i];
      solver_->solve(grid.charge, *grid.green, grid.potential, scratch_[thread]);
    });
  });
}

void ColumnSolver::solve(std::span<const Grid> grids, int padding,
                         const std::function<void()>& progress, Listener& listener) {
  if (alone()) {
    solve_alone(grids, listener);
    progress();
    return;
  }
  const int items = static_cast<int>(grids.size()), in_all = items + padding;
  if (in_all == 0) return;
  reserve(in_all);
  const std::pair<int, int> rows = rows_of(me_, grid_.nx()), columns = columns_of(me_);
  const double row_share = items * static_cast<double>(rows.second - rows.first),
               column_share = items * static_cast<double>(columns.second - columns.first);
  listener.kernel(grid_.row_card(), row_share / grid_.nx(), [&] { forward_rows(grids); });
  progress();
  transpose(in_all, Direction::to_columns, listener);
  listener.kernel(grid_.column_card(), column_share / grid_.columns(), [&] { convolve(grids); });
  progress();
  transpose(in_all, Direction::to_rows, listener);
  listener.kernel(grid_.row_card(), row_share / grid_.nx(), [&] { backward_rows(grids); });
  progress();
}

// Collects f(grid, place in the mesh) for each of this process's rows of each grid.
template <class F>
auto ColumnSolver::each_row(std::span<const Grid> grids, const F& f) const {
  const auto [first, last] = rows_of(me_, grid_.nx());
  std::vector<decltype(f(grids[0], std::int64_t{}))> result;
  for (const Grid& grid : grids)
    for (int row = first; row < last; ++row)
      result.push_back(f(grid, static_cast<std::int64_t>(row) * grid_.ny()));
  return result;
}

// Calls f(first, count, thread) for rows or columns that the solver transforms together.
template <class F>
void ColumnSolver::in_groups(int all, const F& f) const {
  const int group = solver_->at_once();
  parallel::for_tasks((all + group - 1) / group, threads_, [&](int task, int thread) {
    f(task * group, std::min(group, all - task * group), thread);
  });
}

void ColumnSolver::forward_rows(std::span<const Grid> grids) {
  const auto from = each_row(
      grids, [](const Grid& grid, std::int64_t at) -> const double* { return grid.charge + at; });
  if (on_device_) {
    on_device_->forward_rows(from, complex(rows_.data()));
    return rows_.to_host(0, std::ssize(grids) * rows_size());
  }
  in_groups(static_cast<int>(from.size()), [&](int first, int count, int thread) {
    solver_->forward_rows({from.data() + first, static_cast<std::size_t>(count)},
                          complex(rows_.data()) + first * grid_.row_stride(), scratch_[thread]);
  });
}

void ColumnSolver::convolve(std::span<const Grid> grids) {
  const auto [first, last] = columns_of(me_);
  const int columns = last - first, count = static_cast<int>(grids.size()) * columns;
  std::vector<field::ColumnToConvolve> with;
  with.reserve(count);
  for (int i = 0; i < count; ++i) with.push_back({&grids[i / columns].green, i % columns});
  if (on_device_) {
    columns_.to_device(0, std::ssize(grids) * columns_size());
    on_device_->convolve(complex(columns_.data()), with);
    return columns_.to_host(0, std::ssize(grids) * columns_size());
  }
  in_groups(count, [&](int begin, int size, int thread) {
    solver_->convolve(complex(columns_.data()) + begin * grid_.column_stride(),
                      {with.data() + begin, static_cast<std::size_t>(size)}, scratch_[thread]);
  });
}

void ColumnSolver::backward_rows(std::span<const Grid> grids) {
  const auto to = each_row(
      grids, [](const Grid& grid, std::int64_t at) -> double* { return grid.potential + at; });
  if (on_device_) {
    rows_.to_device(0, std::ssize(grids) * rows_size());
    return on_device_->backward_rows(complex(rows_.data()), to);
  }
  in_groups(static_cast<int>(to.size()), [&](int first, int count, int thread) {
    solver_->backward_rows(complex(rows_.data()) + first * grid_.row_stride(),
                           {to.data() + first, static_cast<std::size_t>(count)}, scratch_[thread]);
  });
}

}  // namespace phasewise::collision
