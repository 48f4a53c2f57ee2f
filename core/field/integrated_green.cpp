#include "field/integrated_green.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "parallel/loops.hpp"

namespace phasewise::field {
namespace {

// The antiderivative F of ln(x² + y²) in x and y, for x, y > 0. Only the arctangent of the smaller
// angle is computed; the other angle is π/2 minus it.
double green_antiderivative(double x, double y) {
  const double angle = std::atan(std::min(x, y) / std::max(x, y));
  const double rest = 0.5 * std::numbers::pi - angle;
  const double along_x = y < x ? angle : rest;  // atan(y/x)
  const double along_y = y < x ? rest : angle;  // atan(x/y)
  return x * x * along_x + y * y * along_y + x * y * (std::log(x * x + y * y) - 3.0);
}

// F for all x and y: it is odd in both, and zero on the axes.
double green_antiderivative_signed(double x, double y) {
  if (x == 0.0 || y == 0.0) return 0.0;
  const double f = green_antiderivative(std::abs(x), std::abs(y));
  return (x < 0.0) == (y < 0.0) ? f : -f;
}

}  // namespace

double integrated_green(double x, double y, double hx, double hy) {
  const double x0 = x - 0.5 * hx, x1 = x + 0.5 * hx;
  const double y0 = y - 0.5 * hy, y1 = y + 0.5 * hy;
  return -0.5 *
         (green_antiderivative_signed(x1, y1) - green_antiderivative_signed(x0, y1) -
          green_antiderivative_signed(x1, y0) + green_antiderivative_signed(x0, y0)) /
         (hx * hy);
}

std::vector<GreenRow> distinct_rows(const DoubledAxis& x, int first, int count) {
  std::vector<std::pair<int, int>> all;
  for (int place = first; place < first + count; ++place)
    if (!x.padding(place)) all.emplace_back(x.distance(place), place);
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

GreenRows::GreenRows(const std::vector<GreenRow>& rows, const DoubledAxis& y, double hx, double hy,
                     int threads)
    : y_(y),
      ratio_(hy / hx),
      constant_(-std::log(hx)),
      lowest_(std::max(0, y.nearest() - 1)),
      width_(y.farthest() - lowest_ + 1) {
  for (const GreenRow& row : rows)
    for (int corner = std::max(0, row.distance - 1); corner <= row.distance; ++corner)
      if (corners_.empty() || corners_.back() < corner) corners_.push_back(corner);
  const int lines = static_cast<int>(corners_.size());
  values_ = parallel::Buffer<double>(static_cast<std::int64_t>(lines) * width_);
  parallel::for_tasks(lines, threads, [&](int i, int) {
    double* line = values_.data() + static_cast<std::int64_t>(i) * width_;
    for (int j = 0; j < width_; ++j)
      line[j] = green_antiderivative(corners_[i] + 0.5, (lowest_ + j + 0.5) * ratio_);
  });
}

const double* GreenRows::corners_at(int corner) const {
  const auto at = std::lower_bound(corners_.begin(), corners_.end(), corner) - corners_.begin();
  return values_.data() + at * width_;
}

// Sums the antiderivative, with signs, over the corners of the cells at one distance along x, for
// each distance along y. Differences along x are taken first, so that both axes may be mirrored
// without changing a bit.
void GreenRows::corner_sums(int distance, double* sums) const {
  const double* high = corners_at(distance);
  const double* low = distance > 0 ? corners_at(distance - 1) : high;
  const double sign = distance > 0 ? -1.0 : 1.0;  // the corner at -1/2 mirrors that at 1/2
  const auto edge = [&](int corner) {
    const int at = corner - lowest_;
    return high[at] + sign * low[at];
  };
  const int nearest = y_.nearest();
  double before = nearest > 0 ? edge(nearest - 1) : -edge(0);
  for (int d = nearest; d <= y_.farthest(); ++d) {
    const double here = edge(d);
    sums[d - nearest] = here - before;
    before = here;
  }
}

void GreenRows::fill(int distance, double* line) const {
  std::vector<double> average(y_.farthest() - y_.nearest() + 1);
  corner_sums(distance, average.data());
  for (double& value : average) value = -0.5 * (value / ratio_) + constant_;
  for (int j = 0; j < y_.m; ++j)
    line[j] = y_.padding(j) ? 0.0 : average[y_.distance(j) - y_.nearest()];
}

}  // namespace phasewise::field
