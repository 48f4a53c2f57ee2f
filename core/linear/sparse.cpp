#include "linear/sparse.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace phasewise::linear {
namespace {

using parallel::Lanes;

// How far ahead values are prefetched: beyond the page in which the processor prefetches by itself.
constexpr std::int64_t entries_ahead = 512;

constexpr double entry_bytes = 12.0, vectors_bytes = 24.0, start_bytes = 8.0;

// The rows of a Sell in their places, padded to whole slices; -1 where there is no row.
std::vector<std::int32_t> sorted_rows(const Csr& a, std::int64_t window) {
  const std::int64_t slices = (a.rows() + Sell::height - 1) / Sell::height;
  std::vector<std::int32_t> rows(static_cast<std::size_t>(slices * Sell::height), -1);
  std::iota(rows.begin(), rows.begin() + a.rows(), 0);
  const auto length = [&](std::int32_t row) { return a.start[row + 1] - a.start[row]; };
  for (std::int64_t first = 0; window > 1 && first < a.rows(); first += window)
    std::stable_sort(rows.begin() + first, rows.begin() + std::min(first + window, a.rows()),
                     [&](auto one, auto other) { return length(one) > length(other); });
  return rows;
}

// The number of entries of a slice's longest row.
std::int64_t longest(const Csr& a, const std::int32_t* rows) {
  std::int64_t most = 0;
  for (int lane = 0; lane < Sell::height; ++lane)
    if (rows[lane] >= 0) most = std::max(most, a.start[rows[lane] + 1] - a.start[rows[lane]]);
  return most;
}

// The products of a slice's rows; from_x gives the values of x at some columns.
template <class F>
Lanes slice_sum(const Sell& a, std::int64_t slice, F&& from_x) {
  Lanes sum{};
  const double* value = a.value.data();
  const std::int32_t* column = a.column.data();
  for (std::int64_t k = a.start[slice]; k < a.start[slice + 1]; k += Sell::height) {
    __builtin_prefetch(value + k + entries_ahead);
    sum = parallel::fused(parallel::load(value + k), from_x(column + k), sum);
  }
  return sum;
}

}  // namespace

Csr laplacian(std::int64_t n) {
  Csr a;
  a.start.reserve(n * n + 1);
  a.column.reserve(5 * n * n);
  a.value.reserve(5 * n * n);
  a.start.push_back(0);
  const auto add = [&](bool inside, std::int64_t column, double value) {
    if (!inside) return;
    a.column.push_back(static_cast<std::int32_t>(column));
    a.value.push_back(value);
  };
  for (std::int64_t y = 0; y < n; ++y)
    for (std::int64_t x = 0; x < n; ++x) {
      const std::int64_t here = y * n + x;
      add(y > 0, here - n, -1.0);
      add(x > 0, here - 1, -1.0);
      add(true, here, 4.0);
      add(x < n - 1, here + 1, -1.0);
      add(y < n - 1, here + n, -1.0);
      a.start.push_back(static_cast<std::int64_t>(a.value.size()));
    }
  return a;
}

Sell sell_of(const Csr& a, std::int64_t window) {
  Sell b;
  b.rows = a.rows();
  b.entries = a.entries();
  b.row = sorted_rows(a, window);
  for (std::int64_t place = 0; place < b.rows; ++place) b.in_order &= b.row[place] == place;
  b.start.push_back(0);
  for (std::size_t first = 0; first < b.row.size(); first += Sell::height)
    b.start.push_back(b.start.back() + Sell::height * longest(a, &b.row[first]));
  b.column = parallel::Buffer<std::int32_t>(b.start.back());
  b.value = parallel::Buffer<double>(b.start.back());
  for (std::size_t slice = 0; slice + 1 < b.start.size(); ++slice) {
    bool together = true;
    for (std::int64_t at = b.start[slice]; at < b.start[slice + 1]; ++at) {
      const std::int64_t k = (at - b.start[slice]) / Sell::height, lane = at % Sell::height;
      const std::int32_t row = b.row[slice * Sell::height + lane];
      const bool there = row >= 0 && a.start[row] + k < a.start[row + 1];
      b.column[at] = there ? a.column[a.start[row] + k] : 0;
      b.value[at] = there ? a.value[a.start[row] + k] : 0.0;
      together &= there && b.column[at] == b.column[at - lane] + lane;
    }
    b.together.push_back(together ? 1 : 0);
  }
  return b;
}

parallel::KernelCard csr_card(double rows, double entries) {
  const double bytes = entry_bytes * entries + (start_bytes + vectors_bytes) * rows;
  return {.name = "csr", .flops = 2.0 * entries, .bytes = bytes, .vectorised = false};
}

parallel::KernelCard sell_card(double rows, double entries) {
  const double slices = rows / Sell::height;
  const double bytes = entry_bytes * entries + vectors_bytes * rows + start_bytes * slices;
  return {.name = "sell", .flops = 2.0 * entries, .bytes = bytes, .vectorised = true};
}

void multiply(const Csr& a, const double* x, double* y) {
  const double* value = a.value.data();
  const std::int32_t* column = a.column.data();
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    double sum = 0.0;
    for (std::int64_t k = a.start[row]; k < a.start[row + 1]; ++k)
      sum = std::fma(value[k], x[column[k]], sum);
    y[row] = sum;
  }
}

void multiply(const Sell& a, const double* x, double* y) {
  const std::int64_t slices = static_cast<std::int64_t>(a.start.size()) - 1;
  for (std::int64_t slice = 0; slice < slices; ++slice) {
    const Lanes sum = a.together[slice] != 0
                          ? slice_sum(a, slice, [&](auto* at) { return parallel::load(x + *at); })
                          : slice_sum(a, slice, [&](auto* at) { return parallel::gather(x, at); });
    const std::int64_t first = slice * Sell::height;
    if (a.in_order && first + Sell::height <= a.rows) {
      parallel::store(y + first, sum);
      continue;
    }
    for (int lane = 0; lane < Sell::height; ++lane)
      if (a.row[first + lane] >= 0) y[a.row[first + lane]] = sum[lane];
  }
}

}  // namespace phasewise::linear
