#include "field/poisson.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

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

PoissonSolver::PoissonSolver(const DoubledGrid& grid) : grid_(grid) {
  if (grid.transforms() == Transforms::lanes) {
    lanes_.emplace(grid);
    return;
  }
  along_x_.emplace(grid.mx());
  along_y_.emplace(grid.my());
}

PoissonSolver::Scratch PoissonSolver::make_scratch() const {
  Scratch scratch;
  if (lanes_) {
    scratch.lanes = lanes_->make_scratch();
    return scratch;
  }
  scratch.rows = parallel::Buffer<Complex>(grid_.nx() * grid_.row_stride());
  scratch.columns = parallel::Buffer<Complex>(columns_at_once * grid_.column_stride());
  scratch.line = parallel::Buffer<double>(grid_.my());
  return scratch;
}

void PoissonSolver::solve(const double* charge, const GreenTransform& green, double* potential,
                          Scratch& scratch) const {
  if (lanes_) return lanes_->solve(charge, green, potential, scratch.lanes);
  const int columns = grid_.columns(), nx = grid_.nx();
  const std::int64_t ny = grid_.ny(), stride = grid_.row_stride();
  zero_beyond_row(scratch);
  // The rows beyond nx are zero and are not transformed.
  for (int i = 0; i < nx; ++i)
    forward_row(charge + i * ny, scratch.rows.data() + i * stride, scratch);
  for (int k = 0; k < columns; k += columns_at_once)
    convolve_columns(k, std::min(columns_at_once, columns - k), green, scratch);
  for (int i = 0; i < nx; ++i)
    backward_row(scratch.rows.data() + i * stride, potential + i * ny, scratch);
}

void PoissonSolver::forward_rows(std::span<const double* const> rows, Complex* spectra,
                                 Scratch& scratch) const {
  if (lanes_) return lanes_->forward_rows(rows, spectra, scratch.lanes);
  zero_beyond_row(scratch);
  for (std::size_t i = 0; i < rows.size(); ++i)
    forward_row(rows[i], spectra + i * grid_.row_stride(), scratch);
}

void PoissonSolver::convolve(Complex* columns, std::span<const ColumnToConvolve> with,
                             Scratch& scratch) const {
  if (lanes_) return lanes_->convolve(columns, with, scratch.lanes);
  const std::int64_t length = grid_.column_stride();
  for (std::size_t i = 0; i < with.size(); ++i)
    convolve(columns + i * length, 1, (*with[i].green)->values.data() + with[i].number * length);
}

void PoissonSolver::backward_rows(Complex* spectra, std::span<double* const> rows,
                                  Scratch& scratch) const {
  if (lanes_) return lanes_->backward_rows(spectra, rows, scratch.lanes);
  for (std::size_t i = 0; i < rows.size(); ++i)
    backward_row(spectra + i * grid_.row_stride(), rows[i], scratch);
}

void PoissonSolver::zero_beyond_row(Scratch& scratch) const {
  std::fill_n(scratch.line.data() + grid_.ny(), grid_.my() - grid_.ny(), 0.0);
}

void PoissonSolver::forward_row(const double* charge, Complex* spectrum, Scratch& scratch) const {
  std::copy_n(charge, grid_.ny(), scratch.line.data());
  along_y_->forward(scratch.line.data(), spectrum);
}

void PoissonSolver::backward_row(Complex* spectrum, double* potential, Scratch& scratch) const {
  along_y_->backward(spectrum, scratch.line.data());
  std::copy_n(scratch.line.data(), grid_.ny(), potential);
}

void PoissonSolver::convolve(Complex* columns, int count, const Complex* green) const {
  const int nx = grid_.nx(), mx = grid_.mx();
  const std::int64_t length = grid_.column_stride();
  for (int c = 0; c < count; ++c) {
    Complex* column = columns + c * length;
    std::fill_n(column + nx, mx - nx, Complex(0.0, 0.0));
    along_x_->forward(column);
    multiply(reinterpret_cast<double*>(column), reinterpret_cast<const double*>(green + c * length),
             mx);
    along_x_->backward(column);
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
  const int all = static_cast<int>(rows.size()), group = at_once();
  parallel::for_tasks((all + group - 1) / group, threads, [&](int task, int) {
    const int begin = task * group, end = std::min(begin + group, all);
    transform_distances({rows.data() + begin, rows.data() + end}, green, first, out);
  });
}

// Rows of the doubled grid at some distances along x, and their mirror images.
void PoissonSolver::transform_distances(std::span<const GreenRow> rows, const GreenRows& green,
                                        int first, Complex* out) const {
  const std::int64_t my = grid_.my();
  const auto row_at = [&](int place) { return out + (place - first) * grid_.row_stride(); };
  parallel::Buffer<double> lines(std::ssize(rows) * my);
  std::vector<const double*> from;
  std::vector<Complex*> to;
  for (const GreenRow& row : rows) {
    double* line = lines.data() + std::ssize(from) * my;
    green.fill(row.distance, line);
    from.push_back(line);
    to.push_back(row_at(row.place));
  }
  if (lanes_) {
    LaneSolver::Scratch scratch = lanes_->make_scratch();
    lanes_->forward_lines(from, to.data(), scratch);
  } else {
    for (std::size_t i = 0; i < from.size(); ++i) along_y_->forward(lines.data() + i * my, to[i]);
  }
  for (const GreenRow& row : rows)
    if (row.mirror != row.place)
      std::copy_n(row_at(row.place), grid_.columns(), row_at(row.mirror));
}

void PoissonSolver::green_columns(Complex* columns, int count) const {
  if (lanes_) {
    LaneSolver::Scratch scratch = lanes_->make_scratch();
    return lanes_->green_columns(columns, count, scratch);
  }
  const int mx = grid_.mx();
  const double normalisation =
      1.0 / (static_cast<double>(mx) * grid_.my());  // of the transforms both ways
  for (int c = 0; c < count; ++c) {
    Complex* column = columns + c * grid_.column_stride();
    for (int i = 0; i < mx; ++i) column[i] *= normalisation;
    along_x_->forward(column);
  }
}

PoissonSolver::GreenPointer PoissonSolver::compute_green(const GreenTransform::Key& key,
                                                         int threads) const {
  const std::int64_t stride = grid_.row_stride(), length = grid_.column_stride();
  const int mx = grid_.mx(), all = grid_.columns(), group = std::max(columns_at_once, at_once());
  parallel::Buffer<Complex> rows(mx * stride), made(all * length);
  green_rows(key.function, 0, mx, rows.data(), threads);
  parallel::for_tasks((all + group - 1) / group, threads, [&](int task, int) {
    const int first = task * group, count = std::min(group, all - first);
    Complex* columns = made.data() + first * length;
    gather_columns(rows.data() + first, stride, mx, count, columns, length);
    green_columns(columns, count);
  });
  return std::make_shared<GreenTransform>(lanes_ ? lanes_->laid_out(key, made.data())
                                                 : GreenTransform{key, std::move(made)});
}

PoissonSolver::GreenPointer PoissonSolver::green(const GreenKey& function, int threads) {
  const GreenTransform::Key key{function, 0, grid_.columns()};
  GreenPointer green = kept_.find(key);
  return green ? green : kept_.keep(compute_green(key, threads));
}

PoissonSolver::GreenPointer PoissonSolver::keep_green(const GreenTransform::Key& key,
                                                      const Complex* values) {
  if (lanes_ && values)
    return kept_.keep(std::make_shared<GreenTransform>(lanes_->laid_out(key, values)));
  const std::int64_t size = values ? key.columns * grid_.column_stride() : 0;
  const auto green =
      std::make_shared<GreenTransform>(GreenTransform{key, parallel::Buffer<Complex>(size)});
  std::copy_n(values, size, green->values.data());
  return kept_.keep(green);
}

}  // namespace phasewise::field
