#include "field/box_solver.hpp"

#include <algorithm>
#include <vector>

#include "exchange/share.hpp"
#include "field/periodic_green.hpp"
#include "parallel/loops.hpp"

namespace phasewise::field {
namespace {

using numerics::Complex;
using numerics::complex_per_line;
using parallel::Buffer;

// The values of an even function at distances 0 … m/2, mirrored to a whole row of m.
void mirror(const double* half, std::int64_t stride, int m, double* row) {
  for (int i = 0; i <= m / 2; ++i) row[i] = half[i * stride];
  for (int i = m / 2 + 1; i < m; ++i) row[i] = row[m - i];
}

template <class Value>
bool all_zero(const Value* values, std::int64_t n) {
  return std::all_of(values, values + n, [](const Value& v) { return v == Value(0.0); });
}

}  // namespace

BoxSolver::BoxSolver(const DoubledBox& grid, BoxGreen kind, int threads)
    : grid_(grid),
      kind_(kind),
      threads_(threads),
      along_y_(grid_.my()),
      along_x_(grid_.mx()),
      along_z_(grid_.mz()),
      even_x_(grid_.mx()),
      even_z_(grid_.mz()) {}

void BoxSolver::forward(const double* charge, int count, Complex* planes) const {
  const std::int64_t nodes = static_cast<std::int64_t>(grid_.nx()) * grid_.ny();
  parallel::for_tasks(count, threads_, [&](int k, int) {
    forward_plane(charge + k * nodes, planes + static_cast<std::int64_t>(k) * grid_.columns());
  });
}

void BoxSolver::backward(Complex* planes, int count, double* potential) const {
  const std::int64_t nodes = static_cast<std::int64_t>(grid_.nx()) * grid_.ny();
  parallel::for_tasks(count, threads_, [&](int k, int) {
    backward_plane(planes + static_cast<std::int64_t>(k) * grid_.columns(), potential + k * nodes);
  });
}

void BoxSolver::forward_plane(const double* charge, Complex* plane) const {
  const int nx = grid_.nx(), ny = grid_.ny(), rows = grid_.rows();
  const std::int64_t stride = grid_.row_stride();
  std::fill_n(plane, grid_.columns(), Complex(0.0, 0.0));
  if (all_zero(charge, static_cast<std::int64_t>(nx) * ny)) return;
  Buffer<double> line(grid_.my());
  Buffer<Complex> spectrum(rows);
  std::fill_n(line.data() + ny, grid_.my() - ny, 0.0);
  for (int i = 0; i < nx; ++i) {
    std::copy_n(charge + static_cast<std::int64_t>(i) * ny, ny, line.data());
    along_y_.forward(line.data(), spectrum.data());
    for (int j = 0; j < rows; ++j) plane[j * stride + i] = spectrum[j];
  }
  for (int j = 0; j < rows; ++j) along_x_.forward(plane + j * stride);
}

void BoxSolver::backward_plane(Complex* plane, double* potential) const {
  const int nx = grid_.nx(), ny = grid_.ny(), rows = grid_.rows();
  const std::int64_t stride = grid_.row_stride();
  Buffer<double> line(grid_.my());
  Buffer<Complex> spectrum(rows);
  for (int j = 0; j < rows; ++j) along_x_.backward(plane + j * stride);
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < rows; ++j) spectrum[j] = plane[j * stride + i];
    along_y_.backward(spectrum.data(), line.data());
    std::copy_n(line.data(), ny, potential + static_cast<std::int64_t>(i) * ny);
  }
}

void BoxSolver::forward_rows(const double* charge, int count, Complex* rows) const {
  const int ny = grid_.ny();
  Buffer<double> line(grid_.my());
  std::fill_n(line.data() + ny, grid_.my() - ny, 0.0);
  for (int i = 0; i < count; ++i) {
    const double* row = charge + static_cast<std::int64_t>(i) * ny;
    Complex* spectrum = rows + i * grid_.line_stride();
    if (all_zero(row, ny)) {
      std::fill_n(spectrum, grid_.rows(), Complex(0.0, 0.0));
      continue;
    }
    std::copy_n(row, ny, line.data());
    along_y_.forward(line.data(), spectrum);
  }
}

void BoxSolver::backward_rows(Complex* rows, int count, double* potential) const {
  const int ny = grid_.ny();
  Buffer<double> line(grid_.my());
  for (int i = 0; i < count; ++i) {
    along_y_.backward(rows + i * grid_.line_stride(), line.data());
    std::copy_n(line.data(), ny, potential + static_cast<std::int64_t>(i) * ny);
  }
}

void BoxSolver::forward_lines(Complex* lines, int count) const {
  const std::int64_t stride = grid_.row_stride();
  for (int j = 0; j < count; ++j) {
    Complex* line = lines + j * stride;
    std::fill_n(line + grid_.nx(), stride - grid_.nx(), Complex(0.0, 0.0));
    if (!all_zero(line, grid_.nx())) along_x_.forward(line);
  }
}

void BoxSolver::backward_lines(Complex* lines, int count) const {
  for (int j = 0; j < count; ++j) along_x_.backward(lines + j * grid_.row_stride());
}

void BoxSolver::convolve(Complex* columns, int count, const double* green) const {
  const int nz = grid_.nz(), mz = grid_.mz();
  for (int c = 0; c < count; ++c) {
    Complex* column = columns + c * grid_.column_stride();
    const double* g = green + c * grid_.green_stride();
    std::fill_n(column + nz, mz - nz, Complex(0.0, 0.0));
    along_z_.forward(column);
    for (int k = 0; k <= mz / 2; ++k) column[k] *= g[k];
    for (int k = mz / 2 + 1; k < mz; ++k) column[k] *= g[mz - k];
    along_z_.backward(column);
  }
}

void BoxSolver::solve(const double* charge, const BoxGreenTransform& green, double* potential) {
  const int nz = grid_.nz();
  Buffer<Complex> planes(static_cast<std::int64_t>(nz) * grid_.columns());
  forward(charge, nz, planes.data());
  convolve_planes(planes.data(), green);
  backward(planes.data(), nz, potential);
}

void BoxSolver::convolve_planes(Complex* planes, const BoxGreenTransform& green) const {
  const int nz = grid_.nz(), all = grid_.columns();
  const std::int64_t length = grid_.column_stride();
  parallel::for_tasks(all / complex_per_line, threads_, [&](int task, int) {
    const int first = task * complex_per_line;
    Buffer<Complex> columns(complex_per_line * length);
    Complex* here = planes + first;
    for (int k = 0; k < nz; ++k)
      for (int c = 0; c < complex_per_line; ++c)
        columns[c * length + k] = here[static_cast<std::int64_t>(k) * all + c];
    convolve(columns.data(), complex_per_line, green.values.data() + first * grid_.green_stride());
    for (int k = 0; k < nz; ++k)
      for (int c = 0; c < complex_per_line; ++c)
        here[static_cast<std::int64_t>(k) * all + c] = columns[c * length + k];
  });
}

void BoxSolver::green_plane(const double* values, double* plane) const {
  const int mx = grid_.mx(), my = grid_.my(), rows = grid_.rows(), across = mx / 2 + 1;
  const std::int64_t stride = grid_.row_stride();
  Buffer<double> line(std::max(mx, my));
  Buffer<Complex> spectrum(std::max(across, rows));
  Buffer<double> half(static_cast<std::int64_t>(across) * rows);
  for (int i = 0; i < across; ++i) {
    mirror(values + static_cast<std::int64_t>(i) * rows, 1, my, line.data());
    along_y_.forward(line.data(), spectrum.data());
    for (int j = 0; j < rows; ++j)
      half[static_cast<std::int64_t>(i) * rows + j] = spectrum[j].real();
  }
  std::fill_n(plane, grid_.columns(), 0.0);
  for (int j = 0; j < rows; ++j) {
    mirror(half.data() + j, rows, mx, line.data());
    even_x_.forward(line.data(), spectrum.data());
    for (int i = 0; i < mx; ++i) plane[j * stride + i] = spectrum[i < across ? i : mx - i].real();
  }
}

void BoxSolver::green_planes(const BoxGreenKey& function, int first, int count,
                             double* planes) const {
  const int across = grid_.mx() / 2 + 1, rows = grid_.rows();
  parallel::for_tasks(threads_, threads_, [&](int task, int) {
    const auto [begin, end] = exchange::share(count, threads_, task);
    if (begin == end) return;
    const auto transform = [&](int k, const double* values) {
      green_plane(values, planes + static_cast<std::int64_t>(k) * grid_.columns());
    };
    const std::size_t size = static_cast<std::size_t>(across) * rows;
    if (grid_.periodic()) {
      const std::vector<double> values = periodic_green_planes(
          kind_, function.h, {across, rows, grid_.nz()}, first + begin, end - begin);
      for (int k = begin; k < end; ++k) transform(k, values.data() + (k - begin) * size);
      return;
    }
    GreenPlanes distances(kind_, function.h, across, rows, first + begin);
    std::vector<double> values(size);
    for (int k = begin; k < end; ++k) {
      distances.next(values.data());
      transform(k, values.data());
    }
  });
}

void BoxSolver::green_columns(double* columns, int count) const {
  const int mz = grid_.mz(), planes = grid_.green_planes();
  // The factor of the transforms in both directions.
  const double normalisation = 1.0 / (static_cast<double>(grid_.mx()) * grid_.my() * mz);
  parallel::for_tasks(count, threads_, [&](int c, int) {
    Buffer<double> line(mz);
    Buffer<Complex> spectrum(planes);
    double* column = columns + c * grid_.green_stride();
    mirror(column, 1, mz, line.data());
    even_z_.forward(line.data(), spectrum.data());
    for (int k = 0; k < planes; ++k) column[k] = normalisation * spectrum[k].real();
  });
}

BoxSolver::GreenPointer BoxSolver::green(const BoxGreenKey& function) {
  const int planes = grid_.green_planes(), all = grid_.columns();
  const BoxGreenTransform::Key key{function, 0, all};
  if (GreenPointer kept = find_green(key)) return kept;
  Buffer<double> made(static_cast<std::int64_t>(planes) * all);
  green_planes(function, 0, planes, made.data());
  auto result = std::make_shared<BoxGreenTransform>(
      BoxGreenTransform{key, Buffer<double>(all * grid_.green_stride())});
  for (int c = 0; c < all; ++c)
    for (int k = 0; k < planes; ++k)
      result->values[c * grid_.green_stride() + k] = made[static_cast<std::int64_t>(k) * all + c];
  green_columns(result->values.data(), all);
  return keep_green(std::move(result));
}

}  // namespace phasewise::field
