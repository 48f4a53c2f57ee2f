// The open-boundary Poisson equation on a device: the passes of field::PoissonSolver over many
// meshes at once, with transforms of one fixed batch (gpu/row_transforms.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "field/doubled_grid.hpp"
#include "field/poisson.hpp"
#include "gpu/launch.hpp"
#include "gpu/row_transforms.hpp"
#include "parallel/cache_line.hpp"

namespace phasewise::field::gpu::PHASEWISE_PLATFORM {

namespace platform = phasewise::gpu::PHASEWISE_PLATFORM;
using platform::Array;
using platform::Complex;

class Poisson {
 public:
  explicit Poisson(const DoubledGrid& grid)
      : grid_(grid),
        line_(parallel::whole_lines(grid.my() * static_cast<std::int64_t>(sizeof(double))) /
              static_cast<std::int64_t>(sizeof(double))),
        along_y_(grid.my(), line_, grid.row_stride(), meshes * grid.nx()),
        along_x_(grid.mx(), grid.column_stride(), meshes * grid.columns()),
        most_batches_(most_batches(grid)) {
    reserve(1);
  }

  void solve(std::span<const MeshToSolve> tasks) {
    const std::size_t batches = (tasks.size() + meshes - 1) / meshes;
    reserve(std::min(batches, most_batches_));
    const std::size_t most = meshes * most_batches_;
    for (std::size_t i = 0; i < tasks.size(); i += most)
      solve_some(tasks.subspan(i, std::min(most, tasks.size() - i)));
    forget_unused();
  }

  // The same in parts, for processes that share meshes. Rows of ny charges to rows of the
  // half-transformed grid, row_stride() apart.
  void forward_rows(std::span<const double* const> from, Complex* to) {
    each_batch(from.size(), along_y_.batch(), [&](std::size_t first, std::size_t count) {
      from_.copy_from(from.data() + first, static_cast<std::int64_t>(count));
      pad(static_cast<std::int64_t>(count));
      along_y_.forward(lines_.data(), rows_.data(), 1);
      copy(to + first * grid_.row_stride(), rows_.data(), count * grid_.row_stride());
    });
  }
  // Columns, column_stride() apart, with as many of each one's Green function.
  void convolve(Complex* columns, std::span<const ColumnToConvolve> with) {
    const std::int64_t stride = grid_.column_stride();
    each_batch(with.size(), along_x_.batch(), [&](std::size_t first, std::size_t count) {
      std::vector<const Complex*> greens(count);
      for (std::size_t i = 0; i < count; ++i)
        greens[i] = green_of(*with[first + i].green) + with[first + i].number * stride;
      copy(columns_.data(), columns + first * stride, count * stride);
      zero_beyond_mesh(static_cast<std::int64_t>(count));
      multiply(greens, 1);
      copy(columns + first * stride, columns_.data(), count * stride);
    });
    forget_unused();
  }
  void backward_rows(const Complex* from, std::span<double* const> to) {
    each_batch(to.size(), along_y_.batch(), [&](std::size_t first, std::size_t count) {
      copy(rows_.data(), from + first * grid_.row_stride(), count * grid_.row_stride());
      to_.copy_from(to.data() + first, static_cast<std::int64_t>(count));
      along_y_.backward(rows_.data(), lines_.data(), 1);
      unpad(static_cast<std::int64_t>(count));
    });
  }

  static constexpr std::size_t meshes = 8;  // that are transformed together, a batch

 private:
  template <class F>
  static void each_batch(std::size_t count, std::int64_t rows, const F& f) {
    const auto batch = static_cast<std::size_t>(rows);
    for (std::size_t first = 0; first < count; first += batch)
      f(first, std::min<std::size_t>(batch, count - first));
  }

  // Batches whose buffers take at most 32 MiB, and at least one: many small meshes need few
  // launches then.
  static std::size_t most_batches(const DoubledGrid& grid) {
    const std::int64_t mesh =
        grid.nx() * (static_cast<std::int64_t>(sizeof(double)) * grid.my() +
                     static_cast<std::int64_t>(sizeof(Complex)) * grid.row_stride()) +
        static_cast<std::int64_t>(sizeof(Complex)) * grid.columns() * grid.column_stride();
    constexpr std::int64_t most = 32 << 20;  // B
    return static_cast<std::size_t>(
        std::max<std::int64_t>(1, most / (mesh * static_cast<std::int64_t>(meshes))));
  }
  void reserve(std::size_t batches) {
    const auto count = static_cast<std::int64_t>(batches);
    lines_.reserve(count * along_y_.batch() * line_);
    rows_.reserve(count * along_y_.batch() * grid_.row_stride());
    columns_.reserve(count * along_x_.batch() * grid_.column_stride());
  }

  void solve_some(std::span<const MeshToSolve> tasks) {
    const int batches = static_cast<int>((tasks.size() + meshes - 1) / meshes);
    const int nx = grid_.nx(), ny = grid_.ny(), columns = grid_.columns();
    const auto count = static_cast<std::int64_t>(tasks.size());
    std::vector<const double*> from;
    std::vector<double*> to;
    std::vector<const Complex*> greens;
    for (const MeshToSolve& task : tasks) {
      for (int i = 0; i < nx; ++i) {
        from.push_back(task.charge + static_cast<std::int64_t>(i) * ny);
        to.push_back(task.potential + static_cast<std::int64_t>(i) * ny);
      }
      const Complex* green = green_of(task.green);
      for (int c = 0; c < columns; ++c) greens.push_back(green + c * grid_.column_stride());
    }
    from_.copy_from(from.data(), std::ssize(from));
    to_.copy_from(to.data(), std::ssize(to));
    pad(count * nx);
    along_y_.forward(lines_.data(), rows_.data(), batches);
    rows_to_columns(count);
    multiply(greens, batches);
    columns_to_rows(count);
    along_y_.backward(rows_.data(), lines_.data(), batches);
    unpad(count * nx);
  }

  // nvcc takes no kernels from private functions.
 public:
  static void copy(Complex* to, const Complex* from, std::int64_t values) {
    platform::for_each("copy", values, [=] PHASEWISE_DEVICE(std::int64_t i) { to[i] = from[i]; });
  }
  // Rows of the mesh, with zeros behind them, to lines.
  void pad(std::int64_t rows) {
    const int ny = grid_.ny();
    const std::int64_t line = line_;
    const double* const* from = from_.data();
    double* lines = lines_.data();
    platform::for_each("pad", rows * line, [=] PHASEWISE_DEVICE(std::int64_t i) {
      const std::int64_t row = i / line, j = i % line;
      lines[i] = j < ny ? from[row][j] : 0.0;
    });
  }
  void unpad(std::int64_t rows) {
    const int ny = grid_.ny();
    const std::int64_t line = line_;
    double* const* to = to_.data();
    const double* lines = lines_.data();
    platform::for_each("unpad", rows * ny, [=] PHASEWISE_DEVICE(std::int64_t i) {
      const std::int64_t row = i / ny, j = i % ny;
      to[row][j] = lines[row * line + j];
    });
  }
  void rows_to_columns(std::int64_t count) {
    const int nx = grid_.nx(), mx = grid_.mx(), columns = grid_.columns();
    const std::int64_t row_stride = grid_.row_stride(), column_stride = grid_.column_stride();
    const Complex* rows = rows_.data();
    Complex* to = columns_.data();
    platform::for_each("transpose", count * columns * mx, [=] PHASEWISE_DEVICE(std::int64_t i) {
      const std::int64_t column = i / mx, mesh = column / columns;
      const int x = static_cast<int>(i % mx), c = static_cast<int>(column % columns);
      to[column * column_stride + x] =
          x < nx ? rows[(mesh * nx + x) * row_stride + c] : Complex(0.0, 0.0);
    });
  }
  void columns_to_rows(std::int64_t count) {
    const int nx = grid_.nx(), columns = grid_.columns();
    const std::int64_t row_stride = grid_.row_stride(), column_stride = grid_.column_stride();
    const Complex* from = columns_.data();
    Complex* rows = rows_.data();
    platform::for_each("transpose", count * nx * columns, [=] PHASEWISE_DEVICE(std::int64_t i) {
      const std::int64_t row = i / columns, mesh = row / nx;
      const int x = static_cast<int>(row % nx), c = static_cast<int>(i % columns);
      rows[row * row_stride + c] = from[(mesh * columns + c) * column_stride + x];
    });
  }
  void zero_beyond_mesh(std::int64_t columns) {
    const int nx = grid_.nx(), mx = grid_.mx();
    const std::int64_t stride = grid_.column_stride();
    Complex* data = columns_.data();
    platform::for_each("pad", columns * (mx - nx), [=] PHASEWISE_DEVICE(std::int64_t i) {
      data[i / (mx - nx) * stride + nx + i % (mx - nx)] = Complex(0.0, 0.0);
    });
  }
  // Convolves the columns along x.
  void multiply(const std::vector<const Complex*>& greens, int batches) {
    const int mx = grid_.mx();
    const std::int64_t stride = grid_.column_stride();
    greens_.copy_from(greens.data(), std::ssize(greens));
    const Complex* const* green = greens_.data();
    auto* values = reinterpret_cast<double*>(columns_.data());
    along_x_.forward(columns_.data(), batches);
    platform::for_each("convolve", std::ssize(greens) * mx, [=] PHASEWISE_DEVICE(std::int64_t i) {
      const std::int64_t column = i / mx, x = i % mx;
      double* c = values + 2 * (column * stride + x);
      const auto* g = reinterpret_cast<const double*>(green[column] + x);
      field::multiply_complex(c, g);
    });
    along_x_.backward(columns_.data(), batches);
  }

 private:
  // Transforms are made on the host, and stay on the device as long as the host keeps them.
  const Complex* green_of(const std::shared_ptr<const GreenTransform>& green) {
    for (Kept& kept : kept_)
      if (kept.host == green) return kept.values.data();
    Kept& kept = kept_.emplace_back();
    kept.host = green;
    kept.values.copy_from(green->values.data(), green->values.size());
    return kept.values.data();
  }
  void forget_unused() {
    std::erase_if(kept_, [](const Kept& kept) { return kept.host.use_count() == 1; });
  }

  struct Kept {
    std::shared_ptr<const GreenTransform> host;
    Array<Complex> values;
  };

  DoubledGrid grid_;
  std::int64_t line_;  // from one line to the next
  platform::RealRows along_y_;
  platform::ComplexRows along_x_;
  std::size_t most_batches_;
  Array<double> lines_;
  Array<Complex> rows_, columns_;
  Array<const double*> from_;
  Array<double*> to_;
  Array<const Complex*> greens_;
  std::vector<Kept> kept_;
};

}  // namespace phasewise::field::gpu::PHASEWISE_PLATFORM
