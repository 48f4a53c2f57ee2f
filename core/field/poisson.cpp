#include "field/poisson.hpp"

#include <algorithm>
#include <cmath>

#include "parallel/loops.hpp"

namespace phasewise::field {
namespace {

using numerics::Complex;

// The antiderivative F of ln(x² + y²) in x and y; terms with a vanishing factor are zero on the
// axes.
double green_antiderivative(double x, double y) {
  double f = -3.0 * x * y;
  if (x != 0.0 && y != 0.0)
    f += x * x * std::atan(y / x) + y * y * std::atan(x / y) + x * y * std::log(x * x + y * y);
  return f;
}

// Rows of a grid start on aligned addresses, so that FFTW takes the same path for each.
std::int64_t padded(std::int64_t complex_values) { return (complex_values + 3) / 4 * 4; }

// A cache line of the half-transformed rows holds this many columns.
constexpr int columns_at_once = 4;

// c *= g for n complex values (real, imaginary)
void multiply(double* c, const double* g, int n) {
  for (int i = 0; i < n; ++i) {
    const double re = c[2 * i] * g[2 * i] - c[2 * i + 1] * g[2 * i + 1];
    const double im = c[2 * i] * g[2 * i + 1] + c[2 * i + 1] * g[2 * i];
    c[2 * i] = re;
    c[2 * i + 1] = im;
  }
}

double transform_flops(double n) { return 5.0 * n * std::log2(n); }  // of a complex transform

}  // namespace

double integrated_green(double x, double y, double hx, double hy) {
  const double x0 = x - 0.5 * hx, x1 = x + 0.5 * hx;
  const double y0 = y - 0.5 * hy, y1 = y + 0.5 * hy;
  return -0.5 *
         (green_antiderivative(x1, y1) - green_antiderivative(x0, y1) -
          green_antiderivative(x1, y0) + green_antiderivative(x0, y0)) /
         (hx * hy);
}

PoissonSolver::PoissonSolver(int nx, int ny)
    : nx_(nx),
      ny_(ny),
      mx_(numerics::fast_even_size(2 * nx - 1)),
      my_(numerics::fast_even_size(2 * ny - 1)),
      ky_(my_ / 2 + 1),
      along_x_(mx_),
      along_y_(my_) {}

PoissonSolver::Scratch PoissonSolver::make_scratch() const {
  Scratch scratch;
  scratch.rows = parallel::Buffer<Complex>(nx_ * padded(ky_));
  scratch.columns = parallel::Buffer<Complex>(columns_at_once * padded(mx_));
  scratch.line = parallel::Buffer<double>(my_ + 8);
  return scratch;
}

std::shared_ptr<const GreenTransform> PoissonSolver::green(double hx, double hy, int shift_x,
                                                           int shift_y, int threads) {
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& g) {
    return g->hx == hx && g->hy == hy && g->shift_x == shift_x && g->shift_y == shift_y;
  });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
  } else {
    kept_.push_front(compute_green(hx, hy, shift_x, shift_y, threads));
    if (kept_.size() > capacity_) kept_.pop_back();
  }
  return kept_.front();
}

std::shared_ptr<const GreenTransform> PoissonSolver::compute_green(double hx, double hy,
                                                                   int shift_x, int shift_y,
                                                                   int threads) const {
  // Cell corners are shared by four cells: the antiderivative is tabulated at all corners first. In
  // units of hx: scaling the lengths adds a constant to ln r, which is put back below.
  const double ratio = hy / hx;
  const int corners_x = 2 * nx_, corners_y = 2 * ny_;
  parallel::Buffer<double> corner(static_cast<std::int64_t>(corners_x) * corners_y);
  parallel::for_tasks(corners_x, threads, [&](int i, int) {
    const double x = shift_x - nx_ + i + 0.5;
    for (int j = 0; j < corners_y; ++j)
      corner[static_cast<std::int64_t>(i) * corners_y + j] =
          green_antiderivative(x, (shift_y - ny_ + j + 0.5) * ratio);
  });
  const double constant = -std::log(hx);

  // Displacements -(n-1) … n-1 go to their place modulo the doubled size; along y they are
  // transformed row by row.
  const std::int64_t stride = padded(ky_);
  parallel::Buffer<Complex> rows(mx_ * stride);
  std::fill_n(rows.data(), rows.size(), Complex(0.0, 0.0));
  parallel::for_tasks(2 * nx_ - 1, threads, [&](int i, int) {
    parallel::Buffer<double> line(my_);
    parallel::Buffer<Complex> spectrum(stride);
    std::fill_n(line.data(), my_, 0.0);
    const double* low = corner.data() + static_cast<std::int64_t>(i) * corners_y;
    const double* high = low + corners_y;
    for (int j = 0; j < 2 * ny_ - 1; ++j) {
      const double average = (high[j + 1] - low[j + 1] - high[j] + low[j]) / ratio;
      line[(j - (ny_ - 1) + my_) % my_] = -0.5 * average + constant;
    }
    along_y_.forward(line.data(), spectrum.data());
    const int place = (i - (nx_ - 1) + mx_) % mx_;
    std::copy_n(spectrum.data(), ky_, rows.data() + place * stride);
  });

  auto green = std::make_shared<GreenTransform>();
  green->hx = hx;
  green->hy = hy;
  green->shift_x = shift_x;
  green->shift_y = shift_y;
  green->values = parallel::Buffer<Complex>(ky_ * padded(mx_));
  const double normalisation =
      1.0 / (static_cast<double>(mx_) * my_);  // of the transforms there and back
  parallel::for_tasks(ky_, threads, [&](int k, int) {
    Complex* column = green->values.data() + k * padded(mx_);
    for (int i = 0; i < mx_; ++i) column[i] = rows[i * stride + k] * normalisation;
    along_x_.forward(column);
  });
  return green;
}

void PoissonSolver::solve(const double* charge, const GreenTransform& green, double* potential,
                          Scratch& scratch) const {
  const std::int64_t stride = padded(ky_);
  Complex* rows = scratch.rows.data();
  double* line = scratch.line.data();
  std::fill_n(line, my_, 0.0);
  for (int i = 0; i < nx_; ++i) {  // the rows beyond nx are zero and are not transformed
    std::copy_n(charge + static_cast<std::int64_t>(i) * ny_, ny_, line);
    along_y_.forward(line, rows + i * stride);
  }
  for (int k = 0; k < ky_; k += columns_at_once)
    convolve_columns(k, std::min(columns_at_once, ky_ - k), green, scratch);
  for (int i = 0; i < nx_; ++i) {
    along_y_.backward(rows + i * stride, line);
    std::copy_n(line, ny_, potential + static_cast<std::int64_t>(i) * ny_);
  }
}

void PoissonSolver::convolve_columns(int first, int count, const GreenTransform& green,
                                     Scratch& scratch) const {
  const std::int64_t stride = padded(ky_), length = padded(mx_);
  Complex* rows = scratch.rows.data() + first;
  Complex* columns = scratch.columns.data();
  for (int i = 0; i < nx_; ++i)
    for (int c = 0; c < count; ++c) columns[c * length + i] = rows[i * stride + c];
  for (int c = 0; c < count; ++c) {
    Complex* column = columns + c * length;
    std::fill_n(column + nx_, mx_ - nx_, Complex(0.0, 0.0));
    along_x_.forward(column);
    multiply(reinterpret_cast<double*>(column),
             reinterpret_cast<const double*>(green.values.data() + (first + c) * length), mx_);
    along_x_.backward(column);
  }
  for (int i = 0; i < nx_; ++i)
    for (int c = 0; c < count; ++c) rows[i * stride + c] = columns[c * length + i];
}

double PoissonSolver::flops_per_solve() const {
  return 2.0 * nx_ * 0.5 * transform_flops(my_) + 2.0 * ky_ * transform_flops(mx_) +
         6.0 * ky_ * mx_;
}

double PoissonSolver::bytes_per_solve() const {
  // charge and potential once, the half-transformed rows four times, the Green transform once
  return 16.0 * nx_ * ny_ + 4.0 * 16.0 * nx_ * ky_ + 16.0 * ky_ * mx_;
}

}  // namespace phasewise::field
