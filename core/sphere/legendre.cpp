#include "sphere/legendre.hpp"

#include <algorithm>
#include <cmath>

#include "linear/narrow.hpp"
#include "parallel/large_pages.hpp"
#include "parallel/loops.hpp"

namespace phasewise::sphere {
namespace {

using linear::ConstMatrix;
using linear::Matrix;

// The functions of every second degree, from the first or the second one on, at some pairs.
ConstMatrix of_parity(const ConstMatrix& functions, int parity, const Range& pairs) {
  return {functions.data + parity * functions.row_stride + pairs.first,
          (functions.rows - parity + 1) / 2, size_of(pairs), 2 * functions.row_stride, 1};
}

// The product by loops over single levels, as the source of PSTSWM has it. Each sum has the order
// of linear::multiply.
void multiply_by_level(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, int levels) {
  for (int level = 0; level < levels; ++level)
    for (std::int64_t i = 0; i < c.rows; ++i)
      for (std::int64_t j = level; j < c.columns; j += levels) {
        double whole = 0.0;
        for (std::int64_t k = 0; k < a.columns;) {
          const std::int64_t end = std::min(k + linear::depth, a.columns);
          const bool first = k == 0;
          double sum = 0.0;
          for (; k < end; ++k) sum = std::fma(a(i, k), b(k, j), sum);
          whole = first ? sum : whole + sum;
        }
        c(i, j) = whole;
      }
}

}  // namespace

LegendreFunctions::LegendreFunctions(const std::vector<int>& order, Range places,
                                     std::span<const double> sines, int top, bool kept, int threads)
    : order_(order),
      places_(places),
      top_(top),
      latitudes_(static_cast<std::int64_t>(sines.size())),
      recurrence_(sines, std::span(order).subspan(places.first, size_of(places)), top),
      panels_(threads) {
  if (!kept) return;
  std::int64_t size = 0;
  for (int place = places.first; place < places.second; ++place) {
    begins_.push_back(size);
    size += degrees(place) * latitudes_;
  }
  table_ = parallel::Buffer<double>(size);
  parallel::prefer_large_pages(table_.data(), sizeof(double) * size);
  parallel::for_tasks(size_of(places), threads, [&](int task, int) {
    recurrence_.write(task, table_.data() + begins_[task]);
  });
}

ConstMatrix LegendreFunctions::of(int place, int thread) {
  const double* values = nullptr;
  if (!begins_.empty()) {
    values = table_.data() + begins_[place - places_.first];
  } else {
    panels_[thread].reserve((top_ + 1) * latitudes_);
    recurrence_.write(place - places_.first, panels_[thread].data());
    values = panels_[thread].data();
  }
  return linear::row_major(values, degrees(place), latitudes_);
}

void analyse(const ConstMatrix& functions, const PairColumns& columns, const ColumnLayout& layout,
             double* rows, bool plain, linear::Panels& panels) {
  const std::int64_t width = layout.width();
  for (int parity = 0; parity < 2; ++parity) {
    const ConstMatrix a = of_parity(functions, parity, columns.pairs);
    const ConstMatrix b{columns.data + columns.pairs.first * columns.stride + parity * width,
                        a.columns, width, columns.stride, 1};
    const Matrix c{rows + parity * width, a.rows, width, 2 * width, 1};
    if (plain)
      multiply_by_level(a, b, c, layout.levels);
    else
      linear::multiply(a, b, c, linear::Into::set, panels);
  }
}

void synthesise(const ConstMatrix& functions, const double* rows, const ColumnLayout& layout,
                const PairColumns& columns, bool plain, linear::Panels& panels) {
  const std::int64_t width = layout.width();
  for (int parity = 0; parity < 2; ++parity) {
    const ConstMatrix a = of_parity(functions, parity, columns.pairs).transposed();
    const ConstMatrix b{rows + parity * width, a.columns, width, 2 * width, 1};
    const Matrix c{columns.data + columns.pairs.first * columns.stride + parity * width, a.rows,
                   width, columns.stride, 1};
    if (plain)
      multiply_by_level(a, b, c, layout.levels);
    else
      linear::multiply(a, b, c, linear::Into::set, panels);
  }
}

}  // namespace phasewise::sphere
