// The Poisson solver of a GPU for doubled grids of powers of two: three kernels for any number of
// meshes, one each for rows, columns, and rows again (fused_transforms.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "field/gpu/fused_transforms.hpp"
#include "field/gpu/kept_greens.hpp"
#include "field/gpu/poisson.hpp"

namespace phasewise::field::gpu::cuda {

class FusedPoisson final : public Poisson {
 public:
  static bool suits(const DoubledGrid& grid) {
    return has_kernel(grid.mx()) && has_kernel(grid.my() / 2) && grid.ny() % 2 == 0;
  }

  explicit FusedPoisson(const DoubledGrid& grid)
      : grid_(grid), unit_x_(units(grid.mx())), unit_y_(units(grid.my())) {
    spectra_.reserve(at_once() * mesh());  // so that too little memory is found before a turn
  }

  void solve(std::span<const MeshToSolve> tasks) override {
    const auto most = static_cast<std::size_t>(at_once());
    for (std::size_t i = 0; i < tasks.size(); i += most)
      solve_some(tasks.subspan(i, std::min(most, tasks.size() - i)));
    greens_.forget_unused();
  }
  void forward_rows(std::span<const double* const> from, Complex* to) override {
    rows_.copy_from(const_cast<double* const*>(from.data()), std::ssize(from));
    along_y(true, rows_.data(), 1, std::ssize(from), to);
  }
  void convolve(Complex* columns, std::span<const ColumnToConvolve> with) override {
    std::vector<const Complex*> greens;
    for (const ColumnToConvolve& one : with)
      greens.push_back(greens_.of(*one.green) + one.number * grid_.column_stride());
    listed_.copy_from(greens.data(), std::ssize(greens));
    along_x({values_of(columns), 0, grid_.column_stride(), 1, static_cast<int>(with.size()),
             grid_.nx(), greens_of(listed_.data()), 0},
            1);
    greens_.forget_unused();
  }
  void backward_rows(const Complex* from, std::span<double* const> to) override {
    rows_.copy_from(to.data(), std::ssize(to));
    along_y(false, rows_.data(), 1, std::ssize(to), const_cast<Complex*>(from));
  }

 private:
  static double2* values_of(Complex* values) { return reinterpret_cast<double2*>(values); }
  static const double2* const* greens_of(const Complex* const* greens) {
    return reinterpret_cast<const double2* const*>(greens);
  }
  // exp(-2πik/n), k < n.
  static Array<double2> units(int n) {
    std::vector<double2> made;
    for (int k = 0; k < n; ++k) {
      const long double angle = 2.0L * std::numbers::pi_v<long double> * k / n;
      made.push_back({static_cast<double>(std::cos(angle)), static_cast<double>(-std::sin(angle))});
    }
    Array<double2> units;
    units.copy_from(made.data(), n);
    platform::wait();
    return units;
  }

  // Values of a mesh's half-transformed grid.
  std::int64_t mesh() const { return grid_.nx() * grid_.row_stride(); }
  // The meshes whose half-transformed grids stay in a GPU's cache.
  std::int64_t at_once() const {
    constexpr std::int64_t most = 32 << 20;  // B
    return std::max<std::int64_t>(1, most / (mesh() * std::int64_t{sizeof(Complex)}));
  }

  void solve_some(std::span<const MeshToSolve> tasks) {
    const auto count = static_cast<int>(tasks.size());
    std::vector<double*> ends;
    std::vector<const Complex*> greens;
    for (const MeshToSolve& task : tasks) ends.push_back(const_cast<double*>(task.charge));
    for (const MeshToSolve& task : tasks) {
      ends.push_back(task.potential);
      greens.push_back(greens_.of(task.green));
    }
    rows_.copy_from(ends.data(), std::ssize(ends));
    listed_.copy_from(greens.data(), count);
    along_y(true, rows_.data(), grid_.nx(), count, spectra_.data());
    along_x({values_of(spectra_.data()), mesh(), 1, grid_.row_stride(), grid_.columns(), grid_.nx(),
             greens_of(listed_.data()), grid_.column_stride()},
            count);
    along_y(false, rows_.data() + count, grid_.nx(), count, spectra_.data());
  }

  void along_y(bool forward, double* const* first, int each, std::int64_t meshes,
               Complex* spectra) {
    if (meshes == 0) return;  // a process of many may have no rows, or no columns
    const MeshRows rows{first, each, grid_.ny(), static_cast<int>(each * meshes)};
    with_power(grid_.my() / 2, [&](auto half) {
      launch_rows<half()>(forward, rows, values_of(spectra), grid_.row_stride(), unit_y_.data());
    });
  }
  void along_x(const MeshColumns& columns, int meshes) {
    if (columns.count == 0) return;
    with_power(grid_.mx(), [&](auto n) { launch_columns<n()>(columns, meshes, unit_x_.data()); });
  }

  DoubledGrid grid_;
  Array<double2> unit_x_, unit_y_;
  Array<Complex> spectra_;
  Array<double*> rows_;
  Array<const Complex*> listed_;
  KeptGreens greens_;
};

}  // namespace phasewise::field::gpu::cuda
