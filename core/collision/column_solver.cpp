#include "collision/column_solver.hpp"

#include <algorithm>

#include "parallel/loops.hpp"

namespace phasewise::collision {

ColumnSolver::ColumnSolver(const field::DoubledGrid& grid, field::PoissonSolver* solver,
                           const CollisionPlan& plan, int threads, Contents contents)
    : grid_(grid),
      solver_(solver),
      plan_(plan),
      threads_(threads),
      contents_(contents),
      processes_(plan.division().shape(plan.own_beam()).pcol),
      me_(plan.division().row()) {
  if (real())
    for (int t = 0; t < threads; ++t) scratch_.push_back(solver_->make_scratch());
}

std::pair<int, int> ColumnSolver::rows_of(int process, int rows_in_all) const {
  return comm::share(rows_in_all, processes_, process);
}

std::pair<int, int> ColumnSolver::columns_of(int process) const {
  return comm::share(grid_.columns(), processes_, process);
}

void ColumnSolver::reserve(int grids) {
  if (!real()) return;
  const int max_columns = columns_of(0).second, max_rows = rows_of(0, grid_.nx()).second;
  rows_.reserve(std::max<std::int64_t>(static_cast<std::int64_t>(grids) * max_rows,
                                       rows_of(0, grid_.mx()).second) *
                grid_.row_stride());
  columns_.reserve(static_cast<std::int64_t>(grids) * max_columns * grid_.column_stride());
}

void ColumnSolver::transpose(const comm::TransposeExchange& exchange, Direction direction,
                             Listener& listener) {
  const auto [first, last] = rows_of(me_, grid_.nx());
  const auto [begin, end] = columns_of(me_);
  const comm::ItemBuffer rows(rows_.data(), (last - first) * grid_.row_stride());
  const comm::ItemBuffer columns(columns_.data(), (end - begin) * grid_.column_stride());
  if (direction == Direction::to_columns)
    listener.transpose(exchange, rows, columns);
  else
    listener.transpose(exchange, columns, rows);
}

field::GreenTransform::Key ColumnSolver::my_part(const field::GreenKey& function) const {
  const auto [begin, end] = columns_of(me_);
  return {function, begin, end - begin};
}

// A transform that is kept costs nothing; without contents the solver keeps only its key.
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

ColumnSolver::GreenPointer ColumnSolver::green_by_parts(const field::GreenKey& function,
                                                        Listener& listener) {
  const std::pair<int, int> rows = rows_of(me_, grid_.mx());
  const field::GreenTransform::Key part = my_part(function);
  const parallel::KernelCard card = grid_.green_card(processes_);
  reserve(1);
  listener.kernel(card, 1.0 / processes_, [&] {
    solver_->green_rows(function, rows.first, rows.second - rows.first, rows_.data(), threads_);
  });
  transpose(plan_.green(), Direction::to_columns, listener);
  GreenPointer green;
  // The items of the kernel above include this work.
  listener.kernel(card, 0.0, [&] {
    solver_->green_columns(columns_.data(), part.columns);
    green = solver_->keep_green(part, columns_.data());
  });
  return green;
}

void ColumnSolver::solve_alone(std::span<const Grid> grids, Listener& listener) {
  listener.kernel(grid_.solve_card(), static_cast<double>(grids.size()), [&] {
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
  const std::pair<int, int> my_rows = rows_of(me_, grid_.nx()), my_columns = columns_of(me_);
  const int first = my_rows.first, rows = my_rows.second - first;
  const int columns = my_columns.second - my_columns.first;
  const std::int64_t row_stride = grid_.row_stride(), column_stride = grid_.column_stride();
  const double row_share = items * static_cast<double>(rows),
               column_share = items * static_cast<double>(columns);
  const auto each_row = [&](auto&& f) {
    parallel::for_tasks(items * rows, threads_, [&](int i, int thread) {
      const int item = i / rows, row = i % rows;
      f(grids[item], rows_.data() + i * row_stride,
        static_cast<std::int64_t>(first + row) * grid_.ny(), scratch_[thread].line.data());
    });
  };
  listener.kernel(grid_.row_card(), row_share / grid_.nx(), [&] {
    each_row([&](const Grid& grid, Complex* line, std::int64_t at, double* scratch) {
      solver_->forward_rows(grid.charge + at, 1, line, scratch);
    });
  });
  progress();
  transpose(plan_.solve(in_all, Direction::to_columns), Direction::to_columns, listener);
  listener.kernel(grid_.column_card(), column_share / grid_.columns(), [&] {
    parallel::for_tasks(items * columns, threads_, [&](int i, int) {
      const int column = i % columns;
      solver_->convolve(columns_.data() + i * column_stride, 1,
                        grids[i / columns].green->values.data() + column * column_stride);
    });
  });
  progress();
  transpose(plan_.solve(in_all, Direction::to_rows), Direction::to_rows, listener);
  listener.kernel(grid_.row_card(), row_share / grid_.nx(), [&] {
    each_row([&](const Grid& grid, Complex* line, std::int64_t at, double* scratch) {
      solver_->backward_rows(line, 1, grid.potential + at, scratch);
    });
  });
  progress();
}

}  // namespace phasewise::collision
