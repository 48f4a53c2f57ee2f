#include "field/poisson.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "parallel/loops.hpp"

namespace phasewise::field {
namespace {

using numerics::Complex;

// The antiderivative F of ln(x² + y²) in x and y, for x, y > 0. One arctangent, of the smaller
// angle: that of the other is what it leaves of π/2.
double green_antiderivative(double x, double y) {
  const double angle = std::atan(std::min(x, y) / std::max(x, y));
  const double rest = 0.5 * std::numbers::pi - angle;
  const double along_x = y < x ? angle : rest;  // atan(y/x)
  const double along_y = y < x ? rest : angle;  // atan(x/y)
  return x * x * along_x + y * y * along_y + x * y * (std::log(x * x + y * y) - 3.0);
}

// Everywhere: odd in x and in y, and zero on the axes.
double green_antiderivative_signed(double x, double y) {
  if (x == 0.0 || y == 0.0) return 0.0;
  const double f = green_antiderivative(std::abs(x), std::abs(y));
  return (x < 0.0) == (y < 0.0) ? f : -f;
}

// One axis of the doubled grid: n displacements 0 … n-1 in the first places, -(n-1) … -1 in the
// last, padding between; all moved by a shift. The Green function is even: only distances count.
struct Axis {
  int n, m, shift;
  bool padding(int place) const { return place >= n && place <= m - n; }
  int distance(int place) const { return std::abs(shift + (place < n ? place : place - m)); }
  int nearest() const { return std::max(0, std::abs(shift) - (n - 1)); }
  int farthest() const { return std::abs(shift) + n - 1; }
};

// A distance along x, the row of the doubled grid where it belongs, and its mirror image's (itself
// where there is none in the range).
struct GreenRow {
  int distance, place, mirror;
};

std::vector<GreenRow> distinct_rows(const Axis& axis, int first, int count) {
  std::vector<std::pair<int, int>> all;
  for (int place = first; place < first + count; ++place)
    if (!axis.padding(place)) all.emplace_back(axis.distance(place), place);
  std::sort(all.begin(), all.end());
  std::vector<GreenRow> rows;
  for (const auto& [distance, place] : all) {
    if (!rows.empty() && rows.back().distance == distance)
      rows.back().mirror = place;
    else
      rows.push_back({distance, place, place});
  }
  return rows;
}

// The antiderivative at the corners of cells, which are shared by four of them: corner c lies at
// c + 1/2 cells. Lengths are in units of hx.
class CornerTable {
 public:
  CornerTable(const std::vector<GreenRow>& rows, const Axis& y, double ratio, int threads)
      : lowest_(std::max(0, y.nearest() - 1)), width_(y.farthest() - lowest_ + 1) {
    for (const GreenRow& row : rows)
      for (int corner = std::max(0, row.distance - 1); corner <= row.distance; ++corner)
        if (corners_.empty() || corners_.back() < corner) corners_.push_back(corner);
    const int lines = static_cast<int>(corners_.size());
    values_ = parallel::Buffer<double>(static_cast<std::int64_t>(lines) * width_);
    parallel::for_tasks(lines, threads, [&](int i, int) {
      double* line = values_.data() + static_cast<std::int64_t>(i) * width_;
      for (int j = 0; j < width_; ++j)
        line[j] = green_antiderivative(corners_[i] + 0.5, (lowest_ + j + 0.5) * ratio);
    });
  }
  // Corners lowest(), lowest() + 1, … along y at this one along x.
  const double* line(int corner) const {
    const auto at = std::lower_bound(corners_.begin(), corners_.end(), corner) - corners_.begin();
    return values_.data() + at * width_;
  }
  int lowest() const { return lowest_; }

 private:
  int lowest_, width_;        // corners along y
  std::vector<int> corners_;  // along x, ascending
  parallel::Buffer<double> values_;
};

// Sums of the antiderivative over the corners of the cells at one distance along x, sign by sign;
// over the distances along y. Differences along x are taken first, so that both axes may be
// mirrored without changing a bit.
void corner_sums(const CornerTable& table, int distance, const Axis& y, double* sums) {
  const double* high = table.line(distance);
  const double* low = distance > 0 ? table.line(distance - 1) : high;
  const double sign = distance > 0 ? -1.0 : 1.0;  // the corner at -1/2 mirrors that at 1/2
  const auto edge = [&](int corner) {
    const int at = corner - table.lowest();
    return high[at] + sign * low[at];
  };
  const int nearest = y.nearest();
  double before = nearest > 0 ? edge(nearest - 1) : -edge(0);
  for (int d = nearest; d <= y.farthest(); ++d) {
    const double here = edge(d);
    sums[d - nearest] = here - before;
    before = here;
  }
}

// Rows of a grid start on aligned addresses, so that FFTW takes the same path for each.
std::int64_t padded(std::int64_t complex_values) { return (complex_values + 3) / 4 * 4; }

// A cache line of the half-transformed rows holds this many columns.
constexpr int columns_at_once = 4;

void gather_columns(const Complex* rows, std::int64_t stride, int n, int count, Complex* columns,
                    std::int64_t length) {
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < count; ++c) columns[c * length + i] = rows[i * stride + c];
}

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
         (green_antiderivative_signed(x1, y1) - green_antiderivative_signed(x0, y1) -
          green_antiderivative_signed(x1, y0) + green_antiderivative_signed(x0, y0)) /
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

std::int64_t PoissonSolver::row_stride() const { return padded(ky_); }
std::int64_t PoissonSolver::column_stride() const { return padded(mx_); }

PoissonSolver::Scratch PoissonSolver::make_scratch() const {
  Scratch scratch;
  scratch.rows = parallel::Buffer<Complex>(nx_ * row_stride());
  scratch.columns = parallel::Buffer<Complex>(columns_at_once * column_stride());
  scratch.line = make_line();
  return scratch;
}

parallel::Buffer<double> PoissonSolver::make_line() const { return parallel::Buffer<double>(my_); }

void PoissonSolver::solve(const double* charge, const GreenTransform& green, double* potential,
                          Scratch& scratch) const {
  forward_rows(charge, nx_, scratch.rows.data(), scratch.line.data());
  for (int k = 0; k < ky_; k += columns_at_once)
    convolve_columns(k, std::min(columns_at_once, ky_ - k), green, scratch);
  backward_rows(scratch.rows.data(), nx_, potential, scratch.line.data());
}

void PoissonSolver::forward_rows(const double* charge, int rows, Complex* spectrum,
                                 double* line) const {
  const std::int64_t stride = row_stride();
  std::fill_n(line + ny_, my_ - ny_, 0.0);
  for (int i = 0; i < rows; ++i) {  // the rows beyond nx are zero and are not transformed
    std::copy_n(charge + static_cast<std::int64_t>(i) * ny_, ny_, line);
    along_y_.forward(line, spectrum + i * stride);
  }
}

void PoissonSolver::backward_rows(Complex* spectrum, int rows, double* potential,
                                  double* line) const {
  const std::int64_t stride = row_stride();
  for (int i = 0; i < rows; ++i) {
    along_y_.backward(spectrum + i * stride, line);
    std::copy_n(line, ny_, potential + static_cast<std::int64_t>(i) * ny_);
  }
}

void PoissonSolver::convolve(Complex* columns, int count, const Complex* green) const {
  const std::int64_t length = column_stride();
  for (int c = 0; c < count; ++c) {
    Complex* column = columns + c * length;
    std::fill_n(column + nx_, mx_ - nx_, Complex(0.0, 0.0));
    along_x_.forward(column);
    multiply(reinterpret_cast<double*>(column), reinterpret_cast<const double*>(green + c * length),
             mx_);
    along_x_.backward(column);
  }
}

void PoissonSolver::convolve_columns(int first, int count, const GreenTransform& green,
                                     Scratch& scratch) const {
  const std::int64_t stride = row_stride(), length = column_stride();
  Complex* rows = scratch.rows.data() + first;
  Complex* columns = scratch.columns.data();
  gather_columns(rows, stride, nx_, count, columns, length);
  convolve(columns, count, green.values.data() + first * length);
  for (int i = 0; i < nx_; ++i)
    for (int c = 0; c < count; ++c) rows[i * stride + c] = columns[c * length + i];
}

double PoissonSolver::row_flops() const { return 2.0 * nx_ * 0.5 * transform_flops(my_); }

double PoissonSolver::row_bytes() const {
  // charge and potential, and the half-transformed rows once written, once read
  return 16.0 * nx_ * ny_ + 2.0 * 16.0 * nx_ * ky_;
}

double PoissonSolver::column_flops() const {
  return 2.0 * ky_ * transform_flops(mx_) + 6.0 * ky_ * mx_;
}

double PoissonSolver::column_bytes() const {
  // the half-transformed rows once read, once written, and the Green transform
  return 2.0 * 16.0 * nx_ * ky_ + 16.0 * ky_ * mx_;
}

void PoissonSolver::green_rows(double hx, double hy, int shift_x, int shift_y, int first, int count,
                               Complex* out, int threads) const {
  const Axis x{nx_, mx_, shift_x}, y{ny_, my_, shift_y};
  const std::vector<GreenRow> rows = distinct_rows(x, first, count);
  const double ratio = hy / hx;
  const CornerTable table(rows, y, ratio, threads);
  // Scaling the lengths by hx adds a constant to ln r, which is put back here.
  const double constant = -std::log(hx);
  const std::int64_t stride = row_stride();
  for (int place = first; place < first + count; ++place)
    if (x.padding(place)) std::fill_n(out + (place - first) * stride, ky_, Complex(0.0, 0.0));
  parallel::for_tasks(static_cast<int>(rows.size()), threads, [&](int i, int) {
    parallel::Buffer<double> line = make_line();
    std::vector<double> average(y.farthest() - y.nearest() + 1);
    corner_sums(table, rows[i].distance, y, average.data());
    for (double& value : average) value = -0.5 * (value / ratio) + constant;
    for (int j = 0; j < my_; ++j)
      line[j] = y.padding(j) ? 0.0 : average[y.distance(j) - y.nearest()];
    Complex* spectrum = out + (rows[i].place - first) * stride;
    along_y_.forward(line.data(), spectrum);
    if (rows[i].mirror != rows[i].place)
      std::copy_n(spectrum, ky_, out + (rows[i].mirror - first) * stride);
  });
}

void PoissonSolver::green_columns(Complex* columns, int count) const {
  const double normalisation =
      1.0 / (static_cast<double>(mx_) * my_);  // of the transforms there and back
  for (int c = 0; c < count; ++c) {
    Complex* column = columns + c * column_stride();
    for (int i = 0; i < mx_; ++i) column[i] *= normalisation;
    along_x_.forward(column);
  }
}

std::shared_ptr<GreenTransform> PoissonSolver::make_green(double hx, double hy, int shift_x,
                                                          int shift_y, int first_column,
                                                          int columns) const {
  return std::make_shared<GreenTransform>(
      GreenTransform{hx, hy, shift_x, shift_y, first_column, columns,
                     parallel::Buffer<Complex>(columns * column_stride())});
}

PoissonSolver::GreenPointer PoissonSolver::compute_green(double hx, double hy, int shift_x,
                                                         int shift_y, int threads) const {
  const std::int64_t stride = row_stride(), length = column_stride();
  parallel::Buffer<Complex> rows(mx_ * stride);
  green_rows(hx, hy, shift_x, shift_y, 0, mx_, rows.data(), threads);
  const auto green = make_green(hx, hy, shift_x, shift_y, 0, ky_);
  parallel::for_tasks((ky_ + columns_at_once - 1) / columns_at_once, threads, [&](int task, int) {
    const int first = task * columns_at_once, count = std::min(columns_at_once, ky_ - first);
    Complex* columns = green->values.data() + first * length;
    gather_columns(rows.data() + first, stride, mx_, count, columns, length);
    green_columns(columns, count);
  });
  return green;
}

PoissonSolver::GreenPointer PoissonSolver::green(double hx, double hy, int shift_x, int shift_y,
                                                 int threads) {
  GreenPointer green = find_green(hx, hy, shift_x, shift_y, 0, ky_);
  return green ? green : keep(compute_green(hx, hy, shift_x, shift_y, threads));
}

PoissonSolver::GreenPointer PoissonSolver::find_green(double hx, double hy, int shift_x,
                                                      int shift_y, int first_column, int columns) {
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& g) {
    return g->hx == hx && g->hy == hy && g->shift_x == shift_x && g->shift_y == shift_y &&
           g->first_column == first_column && g->columns == columns;
  });
  if (found == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  return kept_.front();
}

PoissonSolver::GreenPointer PoissonSolver::keep_green(double hx, double hy, int shift_x,
                                                      int shift_y, int first_column, int columns,
                                                      const Complex* values) {
  if (values == nullptr)
    return keep(std::make_shared<GreenTransform>(
        GreenTransform{hx, hy, shift_x, shift_y, first_column, columns, {}}));
  const auto green = make_green(hx, hy, shift_x, shift_y, first_column, columns);
  std::copy_n(values, columns * column_stride(), green->values.data());
  return keep(green);
}

PoissonSolver::GreenPointer PoissonSolver::keep(GreenPointer green) {
  kept_.push_front(green);
  if (kept_.size() > capacity_) kept_.pop_back();
  return green;
}

double PoissonSolver::flops_per_green(int parts) const {
  const double distances = parts == 1 ? nx_ : 2.0 * nx_ - 1.0;
  const double corners = (parts == 1 ? nx_ : distances + parts) * ny_;
  return 70.0 * corners + distances * (0.5 * transform_flops(my_) + 4.0 * ny_) +
         ky_ * (transform_flops(mx_) + 2.0 * mx_);
}

double PoissonSolver::bytes_per_green(int parts) const {
  // corners written once and read twice; rows written and read, columns written
  const double corners = (parts == 1 ? nx_ : 2.0 * nx_ - 1.0 + parts) * ny_;
  return 24.0 * corners + 3.0 * 16.0 * mx_ * ky_;
}

}  // namespace phasewise::field
