#include "field/poisson.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "field/integrated_green.hpp"
#include "parallel/loops.hpp"

namespace phasewise::field {
namespace {

using numerics::Complex;

// Columns are handled by cache lines of the half-transformed rows.
constexpr int columns_at_once = numerics::complex_per_line;

void gather_columns(const Complex* rows, std::int64_t stride, int n, int count, Complex* columns,
                    std::int64_t length) {
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < count; ++c) columns[c * length + i] = rows[i * stride + c];
}

// Computes c *= g for n complex values (real, imaginary).
void multiply(double* c, const double* g, int n) {
  for (int i = 0; i < n; ++i) multiply_complex(c + 2 * i, g + 2 * i);
}

}  // namespace

PoissonSolver::PoissonSolver(int nx, int ny)
    : grid_(nx, ny), along_x_(grid_.mx()), along_y_(grid_.my()) {}

PoissonSolver::Scratch PoissonSolver::make_scratch() const {
  Scratch scratch;
  scratch.rows = parallel::Buffer<Complex>(grid_.nx() * grid_.row_stride());
  scratch.columns = parallel::Buffer<Complex>(columns_at_once * grid_.column_stride());
  scratch.line = make_line();
  return scratch;
}

parallel::Buffer<double> PoissonSolver::make_line() const {
  return parallel::Buffer<double>(grid_.my());
}

void PoissonSolver::solve(const double* charge, const GreenTransform& green, double* potential,
                          Scratch& scratch) const {
  const int columns = grid_.columns();
  forward_rows(charge, grid_.nx(), scratch.rows.data(), scratch.line.data());
  for (int k = 0; k < columns; k += columns_at_once)
    convolve_columns(k, std::min(columns_at_once, columns - k), green, scratch);
  backward_rows(scratch.rows.data(), grid_.nx(), potential, scratch.line.data());
}

void PoissonSolver::forward_rows(const double* charge, int rows, Complex* spectrum,
                                 double* line) const {
  const int ny = grid_.ny();
  const std::int64_t stride = grid_.row_stride();
  std::fill_n(line + ny, grid_.my() - ny, 0.0);
  for (int i = 0; i < rows; ++i) {  // the rows beyond nx are zero and are not transformed
    std::copy_n(charge + static_cast<std::int64_t>(i) * ny, ny, line);
    along_y_.forward(line, spectrum + i * stride);
  }
}

void PoissonSolver::backward_rows(Complex* spectrum, int rows, double* potential,
                                  double* line) const {
  const int ny = grid_.ny();
  const std::int64_t stride = grid_.row_stride();
  for (int i = 0; i < rows; ++i) {
    along_y_.backward(spectrum + i * stride, line);
    std::copy_n(line, ny, potential + static_cast<std::int64_t>(i) * ny);
  }
}

void PoissonSolver::convolve(Complex* columns, int count, const Complex* green) const {
  const int nx = grid_.nx(), mx = grid_.mx();
  const std::int64_t length = grid_.column_stride();
  for (int c = 0; c < count; ++c) {
    Complex* column = columns + c * length;
    std::fill_n(column + nx, mx - nx, Complex(0.0, 0.0));
    along_x_.forward(column);
    multiply(reinterpret_cast<double*>(column), reinterpret_cast<const double*>(green + c * length),
             mx);
    along_x_.backward(column);
  }
}

void PoissonSolver::convolve_columns(int first, int count, const GreenTransform& green,
                                     Scratch& scratch) const {
  const std::int64_t stride = grid_.row_stride(), length = grid_.column_stride();
  const int nx = grid_.nx();
  Complex* rows = scratch.rows.data() + first;
  Complex* columns = scratch.columns.data();
  gather_columns(rows, stride, nx, count, columns, length);
  convolve(columns, count, green.values.data() + first * length);
  for (int i = 0; i < nx; ++i)
    for (int c = 0; c < count; ++c) rows[i * stride + c] = columns[c * length + i];
}

void PoissonSolver::green_rows(const GreenKey& function, int first, int count, Complex* out,
                               int threads) const {
  const DoubledAxis x{grid_.nx(), grid_.mx(), function.shift_x};
  const DoubledAxis y{grid_.ny(), grid_.my(), function.shift_y};
  const std::vector<GreenRow> rows = distinct_rows(x, first, count);
  const GreenRows green(rows, y, function.hx, function.hy, threads);
  const std::int64_t stride = grid_.row_stride();
  const int columns = grid_.columns();
  for (int place = first; place < first + count; ++place)
    if (x.padding(place)) std::fill_n(out + (place - first) * stride, columns, Complex(0.0, 0.0));
  parallel::for_tasks(static_cast<int>(rows.size()), threads, [&](int i, int) {
    parallel::Buffer<double> line = make_line();
    green.fill(rows[i].distance, line.data());
    Complex* spectrum = out + (rows[i].place - first) * stride;
    along_y_.forward(line.data(), spectrum);
    if (rows[i].mirror != rows[i].place)
      std::copy_n(spectrum, columns, out + (rows[i].mirror - first) * stride);
  });
}

void PoissonSolver::green_columns(Complex* columns, int count) const {
  const int mx = grid_.mx();
  const double normalisation =
      1.0 / (static_cast<double>(mx) * grid_.my());  // of the transforms both ways
  for (int c = 0; c < count; ++c) {
    Complex* column = columns + c * grid_.column_stride();
    for (int i = 0; i < mx; ++i) column[i] *= normalisation;
    along_x_.forward(column);
  }
}

PoissonSolver::GreenPointer PoissonSolver::compute_green(const GreenTransform::Key& key,
                                                         int threads) const {
  const std::int64_t stride = grid_.row_stride(), length = grid_.column_stride();
  const int mx = grid_.mx(), all = grid_.columns();
  parallel::Buffer<Complex> rows(mx * stride);
  green_rows(key.function, 0, mx, rows.data(), threads);
  const auto green = std::make_shared<GreenTransform>(
      GreenTransform{key, parallel::Buffer<Complex>(all * length)});
  parallel::for_tasks((all + columns_at_once - 1) / columns_at_once, threads, [&](int task, int) {
    const int first = task * columns_at_once, count = std::min(columns_at_once, all - first);
    Complex* columns = green->values.data() + first * length;
    gather_columns(rows.data() + first, stride, mx, count, columns, length);
    green_columns(columns, count);
  });
  return green;
}

PoissonSolver::GreenPointer PoissonSolver::green(const GreenKey& function, int threads) {
  const GreenTransform::Key key{function, 0, grid_.columns()};
  GreenPointer green = kept_.find(key);
  return green ? green : kept_.keep(compute_green(key, threads));
}

PoissonSolver::GreenPointer PoissonSolver::keep_green(const GreenTransform::Key& key,
                                                      const Complex* values) {
  const std::int64_t size = values ? key.columns * grid_.column_stride() : 0;
  const auto green =
      std::make_shared<GreenTransform>(GreenTransform{key, parallel::Buffer<Complex>(size)});
  std::copy_n(values, size, green->values.data());
  return kept_.keep(green);
}

}  // namespace phasewise::field
