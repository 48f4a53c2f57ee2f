#include "linear/multiply.hpp"

#include <algorithm>

#include "parallel/lanes.hpp"

namespace phasewise::linear {
namespace {

using parallel::Lanes;
using parallel::lanes;

// A block of C in registers: `height` rows of `vectors` vectors. With AVX-512 that takes 24 of 32
// registers, with AVX2 12 of 16; the others hold a row of B and an element of A.
constexpr int vectors = 3;
constexpr int height = lanes == 8 ? 8 : 4;
constexpr int width = vectors * lanes;

// Packed at once: a panel of B, `depth` by `width`, stays in the first-level cache, the rows of A
// in the second, and the columns of B in the third.
constexpr std::int64_t depth = 256;
constexpr std::int64_t rows_at_once = 32 * height;
constexpr std::int64_t columns_at_once = 64 * width;

std::int64_t panels_of(std::int64_t size, std::int64_t panel) { return (size + panel - 1) / panel; }

// A panel of `thick` rows, k after k; rows that are missing are zeros. Whole ones take the first
// loop, where all sizes are known.
template <int thick>
void pack_panel(const double* __restrict from, std::int64_t row_stride, std::int64_t k_stride,
                std::int64_t rows, std::int64_t count, double* __restrict to) {
  if (rows == thick && row_stride == 1) {
    for (std::int64_t k = 0; k < count; ++k)
      for (int i = 0; i < thick; ++i) to[k * thick + i] = from[k * k_stride + i];
  } else if (rows == thick) {
    for (std::int64_t k = 0; k < count; ++k)
      for (int i = 0; i < thick; ++i) to[k * thick + i] = from[k * k_stride + i * row_stride];
  } else {
    for (std::int64_t k = 0; k < count; ++k)
      for (int i = 0; i < thick; ++i)
        to[k * thick + i] = i < rows ? from[k * k_stride + i * row_stride] : 0.0;
  }
}

template <int thick>
void pack(const ConstMatrix& from, double* to) {
  for (std::int64_t row = 0; row < from.rows; row += thick, to += thick * from.columns)
    pack_panel<thick>(&from(row, 0), from.row_stride, from.column_stride,
                      std::min<std::int64_t>(thick, from.rows - row), from.columns, to);
}

using Block = Lanes[height][vectors];

// The sum over k of a column of A times a row of B, from packed panels.
[[gnu::always_inline]] inline void sum_block(std::int64_t count, const double* a, const double* b,
                                             Block& sum) {
  for (auto& row : sum)
    for (Lanes& vector : row) vector = Lanes{};
  for (std::int64_t k = 0; k < count; ++k, a += height, b += width) {
    Lanes from_b[vectors];
    for (int j = 0; j < vectors; ++j) from_b[j] = parallel::load(b + j * lanes);
#pragma GCC unroll 8
    for (int i = 0; i < height; ++i) {
      const Lanes from_a = parallel::all_lanes(a[i]);
#pragma GCC unroll 3
      for (int j = 0; j < vectors; ++j)
        sum[i][j] = parallel::multiply_add(from_a, from_b[j], sum[i][j]);
    }
  }
}

// Sets, or adds to, a block of C whose rows lie together.
template <Into into>
[[gnu::noinline]] void whole_block(std::int64_t count, const double* a, const double* b, double* c,
                                   std::int64_t stride) {
  Block sum;
  sum_block(count, a, b, sum);
#pragma GCC unroll 8
  for (int i = 0; i < height; ++i)
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) {
      double* at = c + i * stride + j * lanes;
      if constexpr (into == Into::set)
        parallel::store(at, sum[i][j]);
      else
        parallel::store(at, parallel::load(at) + sum[i][j]);
    }
}

// The same where C ends within the block, or its rows do not lie together.
template <Into into>
[[gnu::noinline]] void part_block(std::int64_t count, const double* a, const double* b,
                                  const Matrix& c) {
  Block sum;
  sum_block(count, a, b, sum);
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.columns; ++j) {
      const double found = sum[i][j / lanes][j % lanes];
      c(i, j) = into == Into::set ? found : c(i, j) + found;
    }
}

// All blocks of C that packed rows of A and packed columns of B give.
template <Into into>
void all_blocks(std::int64_t count, const double* a, const double* b, const Matrix& c) {
  for (std::int64_t j = 0; j < c.columns; j += width, b += count * width)
    for (std::int64_t i = 0; i < c.rows; i += height) {
      const Matrix part = c.part(i, j, std::min<std::int64_t>(height, c.rows - i),
                                 std::min<std::int64_t>(width, c.columns - j));
      const double* rows = a + i * count;
      if (part.rows == height && part.columns == width && c.column_stride == 1)
        whole_block<into>(count, rows, b, part.data, c.row_stride);
      else
        part_block<into>(count, rows, b, part);
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
