#include "collision/column_solver.hpp"

#include <algorithm>

#include "parallel/loops.hpp"

namespace phasewise::collision {

using comm::TransposeExchange;

ColumnSolver::ColumnSolver(field::PoissonSolver& solver, const CollisionPlan& plan,
                           comm::Executor& executor, parallel::KernelTimes& times, int threads,
                           bool skeleton)
    : solver_(solver),
      plan_(plan),
      executor_(executor),
      times_(times),
      threads_(threads),
      skeleton_(skeleton),
      processes_(plan.division().shape(plan.own_beam()).pcol),
      me_(plan.division().row()) {
  for (int t = 0; t < threads; ++t) scratch_.push_back(solver_.make_scratch());
}

std::pair<int, int> ColumnSolver::rows_of(int process, int rows_in_all) const {
  return comm::share(rows_in_all, processes_, process);
}

std::pair<int, int> ColumnSolver::columns_of(int process) const {
  return comm::share(solver_.columns(), processes_, process);
}

void ColumnSolver::reserve(int grids) {
  if (skeleton_) return;
  const int most_columns = columns_of(0).second, most_rows = rows_of(0, solver_.rows()).second;
  rows_.reserve(std::max<std::int64_t>(static_cast<std::int64_t>(grids) * most_rows,
                                       rows_of(0, solver_.doubled_rows()).second) *
                solver_.row_stride());
  columns_.reserve(static_cast<std::int64_t>(grids) * most_columns * solver_.column_stride());
  const std::int64_t slots =
      processes_ * std::max(plan_.solve(grids).slot_bytes(), plan_.green().slot_bytes()) / 16;
  out_.reserve(slots);
  in_.reserve(slots);
}

void ColumnSolver::copy_rows(const TransposeExchange& exchange, int rows_in_all, Complex* rows,
                             Complex* slots, bool out) const {
  const auto [first, last] = rows_of(me_, rows_in_all);
  const int count = last - first;
  const std::int64_t stride = solver_.row_stride();
  parallel::for_tasks(exchange.items * count, threads_, [&](int i, int) {
    const int item = i / count, row = i % count;
    Complex* line = rows + (static_cast<std::int64_t>(item) * count + row) * stride;
    for (int process = 0; process < processes_; ++process) {
      const auto [begin, end] = columns_of(process);
      const std::int64_t slot = process * exchange.items + item;
      Complex* at =
          slots + slot * exchange.block + static_cast<std::int64_t>(row) * plan_.padded_columns();
      if (out)
        std::copy_n(line + begin, end - begin, at);
      else
        std::copy_n(at, end - begin, line + begin);
    }
  });
}

void ColumnSolver::copy_columns(const TransposeExchange& exchange, int rows_in_all,
                                Complex* columns, Complex* slots, bool out) const {
  const auto [begin, end] = columns_of(me_);
  const int count = end - begin;
  const std::int64_t stride = solver_.column_stride(), width = plan_.padded_columns();
  parallel::for_tasks(exchange.items * processes_, threads_, [&](int i, int) {
    const int item = i / processes_, process = i % processes_;
    const auto [first, last] = rows_of(process, rows_in_all);
    const std::int64_t slot = process * exchange.items + item;
    Complex* block = slots + slot * exchange.block;
    Complex* top = columns + static_cast<std::int64_t>(item) * count * stride + first;
    for (int row = 0; row < last - first; ++row)
      for (int column = 0; column < count; ++column) {
        Complex& here = top[column * stride + row];
        Complex& there = block[row * width + column];
        if (out)
          there = here;
        else
          here = there;
      }
  });
}

void ColumnSolver::to_columns(const TransposeExchange& exchange, int rows_in_all) {
  Complex *out = skeleton_ ? nullptr : out_.data(), *in = skeleton_ ? nullptr : in_.data();
  if (exchange.by_library()) return by_library(exchange, rows_in_all, true);
  if (!skeleton_) copy_rows(exchange, rows_in_all, rows_.data(), out, true);
  executor_.transpose(exchange, out, in);
  if (!skeleton_) copy_columns(exchange, rows_in_all, columns_.data(), in, false);
}

void ColumnSolver::to_rows(const TransposeExchange& exchange, int rows_in_all) {
  Complex *out = skeleton_ ? nullptr : out_.data(), *in = skeleton_ ? nullptr : in_.data();
  if (exchange.by_library()) return by_library(exchange, rows_in_all, false);
  if (!skeleton_) copy_columns(exchange, rows_in_all, columns_.data(), out, true);
  executor_.transpose(exchange, out, in);
  if (!skeleton_) copy_rows(exchange, rows_in_all, rows_.data(), in, false);
}

// Straight from rows to columns, or back, grid by grid.
void ColumnSolver::by_library(const TransposeExchange& exchange, int rows_in_all, bool to_columns) {
  const auto [first, last] = rows_of(me_, rows_in_all);
  const auto [begin, end] = columns_of(me_);
  const std::int64_t row_stride = solver_.row_stride(), column_stride = solver_.column_stride();
  for (int item = 0; item < exchange.items; ++item) {
    std::vector<comm::StridedBlock> of_rows, of_columns;
    for (int process = 0; process < processes_; ++process) {
      const auto columns = columns_of(process);
      const auto rows = rows_of(process, rows_in_all);
      of_rows.push_back(
          {columns.first, last - first, row_stride, columns.second - columns.first, 1});
      of_columns.push_back({rows.first, rows.second - rows.first, 1, end - begin, column_stride});
    }
    Complex* row_grid = skeleton_ ? nullptr : rows_.data() + item * (last - first) * row_stride;
    Complex* column_grid =
        skeleton_ ? nullptr : columns_.data() + item * (end - begin) * column_stride;
    if (to_columns)
      executor_.transpose_by_library(exchange, row_grid, of_rows, column_grid, of_columns);
    else
      executor_.transpose_by_library(exchange, column_grid, of_columns, row_grid, of_rows);
  }
}

// One that is kept takes no work; without contents it is enough to know that it would be.
ColumnSolver::GreenPointer ColumnSolver::green(double hx, double hy, int shift_x, int shift_y) {
  const int begin = columns_of(me_).first, columns = columns_of(me_).second - begin;
  GreenPointer green = solver_.find_green(hx, hy, shift_x, shift_y, begin, columns);
  if (green) return green;
  if (alone()) {
    times_.run("green", 1.0, solver_.flops_per_green(), solver_.bytes_per_green(),
               [&] { green = solver_.green(hx, hy, shift_x, shift_y, threads_); });
  } else {
    green = green_by_parts(hx, hy, shift_x, shift_y, begin, columns);
  }
  return skeleton_ ? solver_.keep_green(hx, hy, shift_x, shift_y, begin, columns, nullptr) : green;
}

ColumnSolver::GreenPointer ColumnSolver::green_by_parts(double hx, double hy, int shift_x,
                                                        int shift_y, int begin, int columns) {
  const int rows_in_all = solver_.doubled_rows();
  const int first = rows_of(me_, rows_in_all).first, last = rows_of(me_, rows_in_all).second;
  reserve(1);
  times_.run("green", 1.0 / processes_, solver_.flops_per_green(processes_),
             solver_.bytes_per_green(processes_), [&] {
               solver_.green_rows(hx, hy, shift_x, shift_y, first, last - first, rows_.data(),
                                  threads_);
             });
  to_columns(plan_.green(), rows_in_all);
  GreenPointer green;
  times_.run("green", 0.0, 0.0, 0.0, [&] {
    solver_.green_columns(columns_.data(), columns);
    green = solver_.keep_green(hx, hy, shift_x, shift_y, begin, columns, columns_.data());
  });
  return green;
}

void ColumnSolver::solve_alone(std::span<const Grid> grids) {
  times_.run("solve", static_cast<double>(grids.size()), solver_.flops_per_solve(),
             solver_.bytes_per_solve(), [&] {
               parallel::for_tasks(
                   static_cast<int>(grids.size()), threads_, [&](int i, int thread) {
                     const Grid& grid = grids[i];
                     solver_.solve(grid.charge, *grid.green, grid.potential, scratch_[thread]);
                   });
             });
}

void ColumnSolver::solve(std::span<const Grid> grids, int padding,
                         const std::function<void()>& progress) {
  if (alone()) {
    solve_alone(grids);
    progress();
    return;
  }
  const int items = static_cast<int>(grids.size()), in_all = items + padding;
  if (in_all == 0) return;
  reserve(in_all);
  const std::pair<int, int> my_rows = rows_of(me_, solver_.rows()), my_columns = columns_of(me_);
  const int first = my_rows.first, rows = my_rows.second - first;
  const int columns = my_columns.second - my_columns.first;
  const std::int64_t row_stride = solver_.row_stride(), column_stride = solver_.column_stride();
  const double row_share = items * static_cast<double>(rows),
               column_share = items * static_cast<double>(columns);
  const auto each_row = [&](auto&& f) {
    parallel::for_tasks(items * rows, threads_, [&](int i, int thread) {
      const int item = i / rows, row = i % rows;
      f(grids[item], rows_.data() + i * row_stride,
        static_cast<std::int64_t>(first + row) * plan_.mesh_ny(), scratch_[thread].line.data());
    });
  };
  times_.run("solve", row_share / solver_.rows(), 0.5 * solver_.row_flops(),
             0.5 * solver_.row_bytes(), [&] {
               each_row([&](const Grid& grid, Complex* line, std::int64_t at, double* scratch) {
                 solver_.forward_rows(grid.charge + at, 1, line, scratch);
               });
             });
  progress();
  to_columns(plan_.solve(in_all), solver_.rows());
  times_.run("solve", column_share / solver_.columns(), solver_.column_flops(),
             solver_.column_bytes(), [&] {
               parallel::for_tasks(items * columns, threads_, [&](int i, int) {
                 const int column = i % columns;
                 solver_.convolve(columns_.data() + i * column_stride, 1,
                                  grids[i / columns].green->values.data() + column * column_stride);
               });
             });
  progress();
  to_rows(plan_.solve(in_all), solver_.rows());
  times_.run("solve", row_share / solver_.rows(), 0.5 * solver_.row_flops(),
             0.5 * solver_.row_bytes(), [&] {
               each_row([&](const Grid& grid, Complex* line, std::int64_t at, double* scratch) {
                 solver_.backward_rows(line, 1, grid.potential + at, scratch);
               });
             });
  progress();
}

}  // namespace phasewise::collision
