// The Poisson solver of a device for any grid: the passes of field::PoissonSolver over many meshes
// at once, with transforms of one fixed batch size (gpu/row_transforms.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "field/gpu/kept_greens.hpp"
#include "field/gpu/poisson.hpp"
#include "gpu/launch.hpp"
#include "gpu/row_transforms.hpp"
#include "parallel/cache_line.hpp"

namespace phasewise::field::gpu::PHASEWISE_PLATFORM {

// A mesh to solve, as it is given to the device.
struct MeshOnDevice {
  const double* charge;
  double* potential;
  const Complex* green;
};
// Where a row or a column begins, among those in a list or those of meshes.
template <class Value>
struct Listed {
  Value* const* list;
  PHASEWISE_DEVICE Value* operator()(std::int64_t i) const { return list[i]; }
};
template <class Value, Value* MeshOnDevice::*first>
struct OfMeshes {
  const MeshOnDevice* meshes;
  std::int64_t each, stride;  // rows or columns per mesh, values from one to the next
  PHASEWISE_DEVICE Value* operator()(std::int64_t i) const {
    return meshes[i / each].*first + i % each * stride;
  }
};
using Charges = OfMeshes<const double, &MeshOnDevice::charge>;
using Potentials = OfMeshes<double, &MeshOnDevice::potential>;
using Greens = OfMeshes<const Complex, &MeshOnDevice::green>;

class BatchedPoisson final : public Poisson {
 public:
  explicit BatchedPoisson(const DoubledGrid& grid)
      : grid_(grid),
        line_(parallel::whole_lines(grid.my() * static_cast<std::int64_t>(sizeof(double))) /
              static_cast<std::int64_t>(sizeof(double))),
        along_y_(grid.my(), line_, grid.row_stride(), meshes * grid.nx()),
        along_x_(grid.mx(), grid.column_stride(), meshes * grid.columns()),
        most_batches_(most_batches(grid)),
        meshes_(static_cast<std::int64_t>(meshes * most_batches_)) {
    reserve(1);  // so that a device with too little memory is found before the first turn
  }

  void solve(std::span<const MeshToSolve> tasks) override {
    const std::size_t batches = (tasks.size() + meshes - 1) / meshes;
    reserve(std::min(batches, most_batches_));
    const std::size_t most = meshes * most_batches_;
    for (std::size_t i = 0; i < tasks.size(); i += most)
      solve_some(tasks.subspan(i, std::min(most, tasks.size() - i)));
    kept_greens_.forget_unused();
  }

  void forward_rows(std::span<const double* const> from, Complex* to) override {
    reserve(1);
    each_batch(from.size(), along_y_.batch(), [&](std::size_t first, std::size_t count) {
      from_.copy_from(from.data() + first, static_cast<std::int64_t>(count));
      pad(static_cast<std::int64_t>(count), Listed<const double>{from_.data()});
      along_y_.forward(lines_.data(), rows_.data(), 1);
      copy(to + first * grid_.row_stride(), rows_.data(), count * grid_.row_stride());
    });
  }
  void convolve(Complex* columns, std::span<const ColumnToConvolve> with) override {
    reserve(1);
    const std::int64_t stride = grid_.column_stride();
    each_batch(with.size(), along_x_.batch(), [&](std::size_t first, std::size_t count) {
      std::vector<const Complex*> greens(count);
      for (std::size_t i = 0; i < count; ++i)
        greens[i] = kept_greens_.of(*with[first + i].green) + with[first + i].number * stride;
      copy(columns_.data(), columns + first * stride, count * stride);
      zero_beyond_mesh(static_cast<std::int64_t>(count));
      greens_.copy_from(greens.data(), std::ssize(greens));
      convolve_columns(static_cast<std::int64_t>(count), 1, Listed<const Complex>{greens_.data()});
      copy(columns + first * stride, columns_.data(), count * stride);
    });
    kept_greens_.forget_unused();
  }
  void backward_rows(const Complex* from, std::span<double* const> to) override {
    reserve(1);
    each_batch(to.size(), along_y_.batch(), [&](std::size_t first, std::size_t count) {
      copy(rows_.data(), from + first * grid_.row_stride(), count * grid_.row_stride());
      to_.copy_from(to.data() + first, static_cast<std::int64_t>(count));
      along_y_.backward(rows_.data(), lines_.data(), 1);
      unpad(static_cast<std::int64_t>(count), Listed<double>{to_.data()});
    });
  }

  static constexpr std::size_t meshes = 8;  // transformed together, as a batch

 private:
  template <class F>
  static void each_batch(std::size_t count, std::int64_t rows, const F& f) {
    const auto batch = static_cast<std::size_t>(rows);
    for (std::size_t first = 0; first < count; first += batch)
      f(first, std::min<std::size_t>(batch, count - first));
  }

  // The batches that fit into buffers of at most 32 MiB, and at least one: many small meshes then
  // need few launches.
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
    if (batches <= batches_) return;
    graphs_.clear();  // they have the buffers' old addresses
    batches_ = 0;     // until all buffers are allocated
    const auto count = static_cast<std::int64_t>(batches);
    lines_.reserve(count * along_y_.batch() * line_);
    rows_.reserve(count * along_y_.batch() * grid_.row_stride());
    columns_.reserve(count * along_x_.batch() * grid_.column_stride());
    batches_ = batches;
  }

  void solve_some(std::span<const MeshToSolve> tasks) {
    std::vector<MeshOnDevice> given;
    for (const MeshToSolve& task : tasks)
      given.push_back({task.charge, task.potential, kept_greens_.of(task.green)});
    meshes_.copy_from(given.data(), std::ssize(given));
    constexpr std::size_t most_graphs = 64;  // that are kept; they take memory of the device
    if (graphs_.size() >= most_graphs && !graphs_.contains(tasks.size())) graphs_.clear();
    const auto [place, is_new] = graphs_.try_emplace(tasks.size(), "solve");
    // Work that comes only once needs no graph, and CUDA loads kernels when they are first
    // launched.
    if (is_new) return solve_given(std::ssize(tasks));
    platform::Graph& graph = place->second;
    if (graph.empty()) graph.record([&] { solve_given(std::ssize(tasks)); });
    graph.run();
  }
  // Solves the meshes that the device was given.
  void solve_given(std::int64_t count) {
    const int batches = static_cast<int>((count + meshes - 1) / meshes);
    const MeshOnDevice* given = meshes_.data();
    pad(count * grid_.nx(), Charges{given, grid_.nx(), grid_.ny()});
    along_y_.forward(lines_.data(), rows_.data(), batches);
    rows_to_columns(count);
    convolve_columns(count * grid_.columns(), batches,
                     Greens{given, grid_.columns(), grid_.column_stride()});
    columns_to_rows(count);
    along_y_.backward(rows_.data(), lines_.data(), batches);
    unpad(count * grid_.nx(), Potentials{given, grid_.nx(), grid_.ny()});
  }

  // nvcc takes no kernels from private functions.
 public:
  static void copy(Complex* to, const Complex* from, std::int64_t values) {
    platform::for_each("copy", values, [=] PHASEWISE_DEVICE(std::int64_t i) { to[i] = from[i]; });
  }
  // Copies rows of the mesh to lines, with zeros after them.
  template <class From>
  void pad(std::int64_t rows, From from) {
    const int ny = grid_.ny();
    const std::int64_t line = line_;
    double* lines = lines_.data();
    platform::for_each("pad", rows * line, [=] PHASEWISE_DEVICE(std::int64_t i) {
      const std::int64_t row = i / line, j = i % line;
      lines[i] = j < ny ? from(row)[j] : 0.0;
    });
  }
  template <class To>
  void unpad(std::int64_t rows, To to) {
    const int ny = grid_.ny();
    const std::int64_t line = line_;
    const double* lines = lines_.data();
    platform::for_each("unpad", rows * ny, [=] PHASEWISE_DEVICE(std::int64_t i) {
      const std::int64_t row = i / ny, j = i % ny;
      to(row)[j] = lines[row * line + j];
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
  // Convolves columns along x, in whole batches.
  template <class Green>
  void convolve_columns(std::int64_t columns, int batches, Green green) {
    const int mx = grid_.mx();
    const std::int64_t stride = grid_.column_stride();
    auto* values = reinterpret_cast<double*>(columns_.data());
    along_x_.forward(columns_.data(), batches);
    platform::for_each("convolve", columns * mx, [=] PHASEWISE_DEVICE(std::int64_t i) {
      const std::int64_t column = i / mx, x = i % mx;
      double* c = values + 2 * (column * stride + x);
      const auto* g = reinterpret_cast<const double*>(green(column) + x);
      field::multiply_complex(c, g);
    });
    along_x_.backward(columns_.data(), batches);
  }

 private:
  DoubledGrid grid_;
  std::int64_t line_;  // values from one line to the next
  platform::RealRows along_y_;
  platform::ComplexRows along_x_;
  std::size_t most_batches_, batches_ = 0;
  Array<MeshOnDevice> meshes_;
  std::map<std::size_t, platform::Graph> graphs_;  // by the number of meshes
  Array<double> lines_;
  Array<Complex> rows_, columns_;
  Array<const double*> from_;
  Array<double*> to_;
  Array<const Complex*> greens_;
  KeptGreens kept_greens_;
};

}  // namespace phasewise::field::gpu::PHASEWISE_PLATFORM
