#include "sphere/legendre.hpp"

#include <algorithm>
#include <cmath>

#include "linear/narrow.hpp"
#include "parallel/loops.hpp"

namespace phasewise::sphere {
namespace {

using linear::ConstMatrix;
using linear::Matrix;

// The pairs at which the functions are not all zeros. The parts of a sum stay where they are.
Range with_functions(const EvenFunctions& functions, const Range& pairs) {
  const auto zeros = std::clamp<std::int64_t>(functions.zeros - pairs.first, 0, size_of(pairs));
  const auto part = size_of(pairs) > linear::depth ? linear::depth : std::int64_t{1};
  return {pairs.first + static_cast<int>(zeros / part * part), pairs.second};
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

void multiply_as(bool plain, const ConstMatrix& a, const ConstMatrix& b, const Matrix& c,
                 int levels, linear::Panels& panels) {
  if (plain)
    multiply_by_level(a, b, c, levels);
  else
    linear::multiply(a, b, c, linear::Into::set, panels);
}

// Both parities of the columns of some pairs.
Matrix of_pairs(const PairColumns& columns, const Range& pairs, std::int64_t width) {
  return {columns.data + pairs.first * columns.stride, size_of(pairs), 2 * width, columns.stride,
          1};
}

// From sums of μ P(l) to those of P(l+1), in the rows with odd l + 1 - m.
void take_lower_degrees(std::span<const LegendreStep> steps, double* rows, std::int64_t width) {
  for (std::size_t i = 0; i + 1 < steps.size(); i += 2) {
    const auto [next, drop] = steps[i];
    double* here = rows + static_cast<std::int64_t>(i + 1) * width;
    if (i == 0) {
      for (std::int64_t j = 0; j < width; ++j) here[j] *= next;
      continue;
    }
    const double* below = here - 2 * width;
    for (std::int64_t j = 0; j < width; ++j) here[j] = std::fma(-drop, below[j], next * here[j]);
  }
}

// The transposed steps: from coefficients of P(l+1) to those of μ P(l).
void give_to_lower_degrees(std::span<const LegendreStep> steps, double* rows, std::int64_t width) {
  const auto row = [&](std::size_t i) { return rows + static_cast<std::int64_t>(i) * width; };
  for (std::size_t i = steps.size() / 2 * 2; i > 0; i -= 2) {
    const auto [next, drop] = steps[i - 2];
    double* here = row(i - 1);
    if (i > 2) {
      double* below = row(i - 3);
      for (std::int64_t j = 0; j < width; ++j) below[j] = std::fma(-drop, here[j], below[j]);
    }
    for (std::int64_t j = 0; j < width; ++j) here[j] *= next;
  }
  if (steps.size() % 2 == 1) std::fill_n(row(steps.size()), width, 0.0);
}

}  // namespace

LegendreFunctions::LegendreFunctions(const std::vector<int>& order, Range places,
                                     std::span<const double> sines, int top, bool kept, int threads)
    : places_(places),
      latitudes_(static_cast<std::int64_t>(sines.size())),
      recurrence_(sines, std::span(order).subspan(places.first, size_of(places)), top),
      panels_(threads) {
  if (!kept) return;
  std::int64_t size = 0;
  for (int number = 0; number < size_of(places); ++number) {
    begins_.push_back(size);
    size += rows(number) * latitudes_;
  }
  table_ = parallel::Buffer<double>(size);
  parallel::for_tasks(size_of(places), threads, [&](int number, int) {
    recurrence_.write_even(number, table_.data() + begins_[number]);
  });
}

EvenFunctions LegendreFunctions::of(int place, int thread) {
  const int number = place - places_.first;
  const double* values = nullptr;
  if (!begins_.empty()) {
    values = table_.data() + begins_[number];
  } else {
    panels_[thread].reserve(rows(number) * latitudes_);
    recurrence_.write_even(number, panels_[thread].data());
    values = panels_[thread].data();
  }
  return {linear::row_major(values, rows(number), latitudes_), recurrence_.zeros(number),
          recurrence_.steps(number)};
}

void analyse(const EvenFunctions& functions, const PairColumns& columns, const ColumnLayout& layout,
             double* rows, bool plain, linear::Panels& panels) {
  const std::int64_t width = layout.width();
  const Range pairs = with_functions(functions, columns.pairs);
  const ConstMatrix& values = functions.values;
  multiply_as(plain, values.part(0, pairs.first, values.rows, size_of(pairs)),
              linear::constant(of_pairs(columns, pairs, width)),
              {rows, values.rows, 2 * width, 2 * width, 1}, layout.levels, panels);
  take_lower_degrees(functions.steps, rows, width);
}

void synthesise(const EvenFunctions& functions, double* rows, const ColumnLayout& layout,
                const PairColumns& columns, bool plain, linear::Panels& panels) {
  const std::int64_t width = layout.width();
  const Range pairs = with_functions(functions, columns.pairs);
  for (int pair = columns.pairs.first; pair < pairs.first; ++pair)
    std::fill_n(columns.data + pair * columns.stride, 2 * width, 0.0);
  give_to_lower_degrees(functions.steps, rows, width);
  const ConstMatrix& values = functions.values;
  multiply_as(plain, values.part(0, pairs.first, values.rows, size_of(pairs)).transposed(),
              {rows, values.rows, 2 * width, 2 * width, 1}, of_pairs(columns, pairs, width),
              layout.levels, panels);
}

}  // namespace phasewise::sphere
