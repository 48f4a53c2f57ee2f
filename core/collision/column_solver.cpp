#include "collision/column_solver.hpp"

#include <algorithm>

#include "parallel/loops.hpp"

namespace phasewise::collision {

using comm::TransposeExchange;

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
  const int most_columns = columns_of(0).second, most_rows = rows_of(0, grid_.nx()).second;
  rows_.reserve(std::max<std::int64_t>(static_cast<std::int64_t>(grids) * most_rows,
                                       rows_of(0, grid_.mx()).second) *
                grid_.row_stride());
  columns_.reserve(static_cast<std::int64_t>(grids) * most_columns * grid_.column_stride());
  const std::int64_t slots =
      processes_ * std::max(plan_.solve(grids).slot_bytes(), plan_.green().slot_bytes()) / 16;
  out_.reserve(slots);
  in_.reserve(slots);
}

void ColumnSolver::copy_rows(const TransposeExchange& exchange, int rows_in_all, Complex* rows,
                             Complex* slots, bool out) const {
  const auto [first, last] = rows_of(me_, rows_in_all);
  const int count = last - first;
  const std::int64_t stride = grid_.row_stride();
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
  const std::int64_t stride = grid_.column_stride(), width = plan_.padded_columns();
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

void ColumnSolver::to_columns(const TransposeExchange& exchange, int rows_in_all,
                              Listener& listener) {
  Complex *out = out_.data(), *in = in_.data();
  const bool packs = real() && !exchange.by_library();
  if (packs) copy_rows(exchange, rows_in_all, rows_.data(), out, true);
  listener.transpose(exchange, plan_.asked_of_transpose(rows_in_all, true),
                     [&](comm::Executor& executor) {
                       if (exchange.by_library())
                         by_library(exchange, rows_in_all, true, executor);
                       else
                         executor.transpose(exchange, out, in);
                     });
  if (packs) copy_columns(exchange, rows_in_all, columns_.data(), in, false);
}

void ColumnSolver::to_rows(const TransposeExchange& exchange, int rows_in_all, Listener& listener) {
  Complex *out = out_.data(), *in = in_.data();
  const bool packs = real() && !exchange.by_library();
  if (packs) copy_columns(exchange, rows_in_all, columns_.data(), out, true);
  listener.transpose(exchange, plan_.asked_of_transpose(rows_in_all, false),
                     [&](comm::Executor& executor) {
                       if (exchange.by_library())
                         by_library(exchange, rows_in_all, false, executor);
                       else
                         executor.transpose(exchange, out, in);
                     });
  if (packs) copy_rows(exchange, rows_in_all, rows_.data(), in, false);
}

// Straight from rows to columns, or back, grid by grid.
void ColumnSolver::by_library(const TransposeExchange& exchange, int rows_in_all, bool to_columns,
                              comm::Executor& executor) {
  const auto [first, last] = rows_of(me_, rows_in_all);
  const auto [begin, end] = columns_of(me_);
  const std::int64_t row_stride = grid_.row_stride(), column_stride = grid_.column_stride();
  for (int item = 0; item < exchange.items; ++item) {
    std::vector<comm::StridedBlock> of_rows, of_columns;
    for (int process = 0; process < processes_; ++process) {
      const auto columns = columns_of(process);
      const auto rows = rows_of(process, rows_in_all);
      of_rows.push_back(
          {columns.first, last - first, row_stride, columns.second - columns.first, 1});
      of_columns.push_back({rows.first, rows.second - rows.first, 1, end - begin, column_stride});
    }
    Complex* row_grid = !real() ? nullptr : rows_.data() + item * (last - first) * row_stride;
    Complex* column_grid =
        !real() ? nullptr : columns_.data() + item * (end - begin) * column_stride;
    if (to_columns)
      executor.transpose_by_library(exchange, row_grid, of_rows, column_grid, of_columns);
    else
      executor.transpose_by_library(exchange, column_grid, of_columns, row_grid, of_rows);
  }
}

// One that is kept takes no work; without contents it is enough to know that it would be.
ColumnSolver::GreenPointer ColumnSolver::green(double hx, double hy, int shift_x, int shift_y,
                                               Listener& listener) {
  const int begin = columns_of(me_).first, columns = columns_of(me_).second - begin;
  GreenPointer green = solver_->find_green(hx, hy, shift_x, shift_y, begin, columns);
  if (green) return green;
  green = make_green(hx, hy, shift_x, shift_y, listener);
  return real() ? green : solver_->keep_green(hx, hy, shift_x, shift_y, begin, columns, nullptr);
}

ColumnSolver::GreenPointer ColumnSolver::make_green(double hx, double hy, int shift_x, int shift_y,
                                                    Listener& listener) {
  ++greens_made_;
  if (!alone()) return green_by_parts(hx, hy, shift_x, shift_y, listener);
  GreenPointer green;
  listener.kernel(grid_.green_card(), 1.0,
                  [&] { green = solver_->green(hx, hy, shift_x, shift_y, threads_); });
  return green;
}

ColumnSolver::GreenPointer ColumnSolver::green_by_parts(double hx, double hy, int shift_x,
                                                        int shift_y, Listener& listener) {
  const int rows_in_all = grid_.mx();
  const auto [first, last] = rows_of(me_, rows_in_all);
  const auto [begin, end] = columns_of(me_);
  const int rows = last - first, first_column = begin, columns = end - begin, first_row = first;
  const parallel::KernelCard card = grid_.green_card(processes_);
  reserve(1);
  listener.kernel(card, 1.0 / processes_, [&] {
    solver_->green_rows(hx, hy, shift_x, shift_y, first_row, rows, rows_.data(), threads_);
  });
  to_columns(plan_.green(), rows_in_all, listener);
  GreenPointer green;
  // Its work is in the items above.
  listener.kernel(card, 0.0, [&] {
    solver_->green_columns(columns_.data(), columns);
    green = solver_->keep_green(hx, hy, shift_x, shift_y, first_column, columns, columns_.data());
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
        static_cast<std::int64_t>(first + row) * plan_.mesh_ny(), scratch_[thread].line.data());
    });
  };
  listener.kernel(grid_.row_card(), row_share / grid_.nx(), [&] {
    each_row([&](const Grid& grid, Complex* line, std::int64_t at, double* scratch) {
      solver_->forward_rows(grid.charge + at, 1, line, scratch);
    });
  });
  progress();
  to_columns(plan_.solve(in_all), grid_.nx(), listener);
  listener.kernel(grid_.column_card(), column_share / grid_.columns(), [&] {
    parallel::for_tasks(items * columns, threads_, [&](int i, int) {
      const int column = i % columns;
      solver_->convolve(columns_.data() + i * column_stride, 1,
                        grids[i / columns].green->values.data() + column * column_stride);
    });
  });
  progress();
  to_rows(plan_.solve(in_all), grid_.nx(), listener);
  listener.kernel(grid_.row_card(), row_share / grid_.nx(), [&] {
    each_row([&](const Grid& grid, Complex* line, std::int64_t at, double* scratch) {
      solver_->backward_rows(line, 1, grid.potential + at, scratch);
    });
  });
  progress();
}

}  // namespace phasewise::collision
