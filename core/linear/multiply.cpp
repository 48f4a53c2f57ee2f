#include "linear/multiply.hpp"

#include <algorithm>

#include "linear/narrow.hpp"
#include "linear/square_of_lanes.hpp"

namespace phasewise::linear {
namespace {

using parallel::Lanes;
using parallel::lanes;

// The block of C in registers has `height` rows of `vectors` vectors. With AVX-512 it takes 24 of
// 32 registers, with AVX2 12 of 16; the others hold a row of B and an element of A.
constexpr int vectors = 3;
constexpr int height = lanes == 8 ? 8 : 4;
constexpr int width = vectors * lanes;

// How much is packed at once: the rows of A and a panel of B, `depth` by `width`, stay in the
// second-level cache, and the columns of B in the third. The kernel reads 16 B of a panel of B per
// cycle, which the second level provides; a smaller depth would move C more often.
constexpr std::int64_t rows_at_once = 16 * height;
constexpr std::int64_t columns_at_once = 64 * width;

std::int64_t panels_of(std::int64_t size, std::int64_t panel) { return (size + panel - 1) / panel; }

// Packs squares of a panel whose rows are contiguous in memory; returns for how many k.
template <int thick>
std::int64_t pack_squares(const double* __restrict from, std::int64_t row_stride,
                          std::int64_t count, double* __restrict to) {
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes)
    for (int i = 0; i < thick; i += lanes) {
      Lanes square[lanes];
      load_transposed(from + i * row_stride + k, row_stride, square);
      for (int column = 0; column < lanes; ++column)
        parallel::store(to + (k + column) * thick + i, square[column]);
    }
  return k;
}

// Packs a panel of `thick` rows, one k after the other; missing rows are zeros.
template <int thick>
void pack_panel(const double* __restrict from, std::int64_t row_stride, std::int64_t k_stride,
                std::int64_t rows, std::int64_t count, double* __restrict to) {
  static_assert(thick % lanes == 0);
  if (rows == thick && row_stride == 1) {
    for (std::int64_t k = 0; k < count; ++k) {
      // The rows may lie in different pages, across which the processor does not prefetch.
      for (int i = 0; i < thick; i += lanes)
        __builtin_prefetch(from + std::min(k + ahead, count - 1) * k_stride + i);
      for (int i = 0; i < thick; ++i) to[k * thick + i] = from[k * k_stride + i];
    }
    return;
  }
  std::int64_t k = 0;
  if (rows == thick && k_stride == 1) k = pack_squares<thick>(from, row_stride, count, to);
  for (; k < count; ++k)
    for (int i = 0; i < thick; ++i)
      to[k * thick + i] = i < rows ? from[k * k_stride + i * row_stride] : 0.0;
}

template <int thick>
void pack(const ConstMatrix& from, double* to) {
  for (std::int64_t row = 0; row < from.rows; row += thick, to += thick * from.columns)
    pack_panel<thick>(&from(row, 0), from.row_stride, from.column_stride,
                      std::min<std::int64_t>(thick, from.rows - row), from.columns, to);
}

// Sums over k a column of A times some vectors of a row of B, from packed panels. All loops over
// the sums are unrolled: with one that is not, the compiler keeps them in memory before and after.
template <int some>
[[gnu::always_inline]] inline void sum_block(std::int64_t count, const double* a, const double* b,
                                             Lanes (&sum)[height][some]) {
#pragma GCC unroll 8
  for (int i = 0; i < height; ++i)
#pragma GCC unroll 3
    for (int j = 0; j < some; ++j) sum[i][j] = Lanes{};
  for (std::int64_t k = 0; k < count; ++k, a += height, b += width) {
    Lanes from_b[some];
#pragma GCC unroll 3
    for (int j = 0; j < some; ++j) from_b[j] = parallel::load(b + j * lanes);
#pragma GCC unroll 8
    for (int i = 0; i < height; ++i) {
      const Lanes from_a = parallel::all_lanes<double, lanes>(a[i]);
#pragma GCC unroll 3
      for (int j = 0; j < some; ++j) sum[i][j] = parallel::fused(from_a, from_b[j], sum[i][j]);
    }
  }
}

// Sets, or adds to, a block of C whose rows are contiguous. They are prefetched during the sum.
template <Into into, int some>
[[gnu::noinline]] void whole_block(std::int64_t count, const double* a, const double* b, double* c,
                                   std::int64_t stride) {
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < some; ++j) __builtin_prefetch(c + i * stride + j * lanes, 1);
  Lanes sum[height][some];
  sum_block(count, a, b, sum);
#pragma GCC unroll 8
  for (int i = 0; i < height; ++i)
#pragma GCC unroll 3
    for (int j = 0; j < some; ++j) {
      double* at = c + i * stride + j * lanes;
      if constexpr (into == Into::set)
        parallel::store(at, sum[i][j]);
      else
        parallel::store(at, parallel::load(at) + sum[i][j]);
    }
}

// Does the same where C ends within a vector, or its rows are not contiguous.
template <Into into, int some>
[[gnu::noinline]] void part_block(std::int64_t count, const double* a, const double* b,
                                  const Matrix& c) {
  Lanes sum[height][some];
  sum_block(count, a, b, sum);
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.columns; ++j) {
      const double found = sum[i][j / lanes][j % lanes];
      c(i, j) = into == Into::set ? found : c(i, j) + found;
    }
}

// The blocks of C that result from packed rows of A and a packed panel of B.
template <Into into, int some>
void some_blocks(std::int64_t count, const double* a, const double* b, const Matrix& c) {
  for (std::int64_t i = 0; i < c.rows; i += height, a += height * count) {
    const Matrix part = c.part(i, 0, std::min<std::int64_t>(height, c.rows - i), c.columns);
    if (part.rows == height && c.columns == some * lanes && c.column_stride == 1)
      whole_block<into, some>(count, a, b, part.data, c.row_stride);
    else
      part_block<into, some>(count, a, b, part);
  }
}

// All blocks of C that result from packed rows of A and packed columns of B.
template <Into into>
void all_blocks(std::int64_t count, const double* a, const double* b, const Matrix& c) {
  constexpr decltype(&some_blocks<into, 1>) blocks[] = {some_blocks<into, 1>, some_blocks<into, 2>,
                                                        some_blocks<into, 3>};
  for (std::int64_t j = 0; j < c.columns; j += width, b += count * width) {
    const std::int64_t columns = std::min<std::int64_t>(width, c.columns - j);
    blocks[panels_of(columns, lanes) - 1](count, a, b, c.part(0, j, c.rows, columns));
  }
}

void clear(const Matrix& c) {
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.columns; ++j) c(i, j) = 0.0;
}

}  // namespace

parallel::KernelCard multiply_card(double n) {
  return {.name = "multiply",
          .flops = 2.0 * n * n * n,
          .bytes = 32.0 * n * n,
          .vectorised = true,
          .touched = 24.0 * n * n};
}

parallel::KernelCard plain_multiply_card(double n) {
  return {.name = "plain_multiply",
          .flops = 2.0 * n * n * n,
          .bytes = 16.0 * n * n * n,
          .vectorised = false,
          .touched = 24.0 * n * n};
}

void multiply(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into,
              Panels& panels) {
  if (c.row_stride == 1 && c.column_stride != 1)
    return multiply(b.transposed(), a.transposed(), c.transposed(), into, panels);
  if (into == Into::set && a.columns == 0) clear(c);
  if (is_narrow(a, b, c)) return multiply_narrow(a, b, c, into);
  const std::int64_t most = std::min(depth, a.columns);
  panels.a.reserve(panels_of(std::min(rows_at_once, c.rows), height) * height * most);
  panels.b.reserve(panels_of(std::min(columns_at_once, c.columns), width) * width * most);
  for (std::int64_t j = 0; j < c.columns; j += columns_at_once) {
    const std::int64_t columns = std::min(columns_at_once, c.columns - j);
    for (std::int64_t k = 0; k < a.columns; k += depth) {
      const std::int64_t count = std::min(depth, a.columns - k);
      pack<width>(b.part(k, j, count, columns).transposed(), panels.b.data());
      for (std::int64_t i = 0; i < c.rows; i += rows_at_once) {
        const std::int64_t rows = std::min(rows_at_once, c.rows - i);
        pack<height>(a.part(i, k, rows, count), panels.a.data());
        const auto blocks =
            into == Into::set && k == 0 ? all_blocks<Into::set> : all_blocks<Into::add>;
        blocks(count, panels.a.data(), panels.b.data(), c.part(i, j, rows, columns));
      }
    }
  }
}

void plain_multiply(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into) {
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.columns; ++j) {
      double sum = into == Into::set ? 0.0 : c(i, j);
      for (std::int64_t k = 0; k < a.columns; ++k) sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
}

}  // namespace phasewise::linear
