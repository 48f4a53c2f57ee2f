#include "linear/narrow.hpp"

#include <algorithm>
#include <cmath>

#include "linear/square_of_lanes.hpp"

namespace phasewise::linear {
namespace {

using parallel::Lanes;
using parallel::lanes;

// A block of C in registers: some vectors of rows by some columns.
constexpr int most_vectors = 3;
constexpr int most_columns = 4;

template <int vectors, int columns>
struct Block {
  Lanes sum[vectors][columns] = {};

  [[gnu::always_inline]] void add(const Lanes (&a)[vectors], const double* b) {
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) {
      const Lanes from_b = parallel::all_lanes<double, lanes>(b[j]);
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) sum[v][j] = parallel::fused(a[v], from_b, sum[v][j]);
    }
  }
  void store(const Matrix& c, Into into) const {
    for (int v = 0; v < vectors; ++v)
      for (int lane = 0; lane < lanes; ++lane)
        for (int j = 0; j < columns; ++j) {
          double& to = c(v * lanes + lane, j);
          to = into == Into::set ? sum[v][j][lane] : to + sum[v][j][lane];
        }
  }
};

// Rows of A next to each other in memory.
template <int vectors, int columns>
void along_rows(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into) {
  Block<vectors, columns> block;
  for (std::int64_t k = 0; k < a.columns; ++k) {
    Lanes from_a[vectors];
    for (int v = 0; v < vectors; ++v) from_a[v] = parallel::load(&a(v * lanes, k));
    block.add(from_a, &b(k, 0));
  }
  block.store(c, into);
}

// Columns of A next to each other in memory: squares of it are transposed in registers.
template <int vectors, int columns>
void along_columns(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into) {
  Block<vectors, columns> block;
  std::int64_t k = 0;
  for (; k + lanes <= a.columns; k += lanes) {
    Lanes squares[vectors][lanes];
    for (int v = 0; v < vectors; ++v) {
      for (int row = 0; row < lanes; ++row)
        squares[v][row] = parallel::load(&a(v * lanes + row, k));
      transpose(squares[v]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < lanes; ++i) {
      Lanes from_a[vectors];
      for (int v = 0; v < vectors; ++v) from_a[v] = squares[v][i];
      block.add(from_a, &b(k + i, 0));
    }
  }
  for (; k < a.columns; ++k) {
    Lanes from_a[vectors];
    for (int v = 0; v < vectors; ++v) {
      double column[lanes];
      for (int lane = 0; lane < lanes; ++lane) column[lane] = a(v * lanes + lane, k);
      from_a[v] = parallel::load(column);
    }
    block.add(from_a, &b(k, 0));
  }
  block.store(c, into);
}

template <int vectors, int columns>
void some_rows(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into) {
  if (a.row_stride == 1)
    along_rows<vectors, columns>(a, b, c, into);
  else
    along_columns<vectors, columns>(a, b, c, into);
}

// The rows that do not fill a vector.
void last_rows(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into) {
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.columns; ++j) {
      double sum = 0.0;
      for (std::int64_t k = 0; k < a.columns; ++k) sum = std::fma(a(i, k), b(k, j), sum);
      c(i, j) = into == Into::set ? sum : c(i, j) + sum;
    }
}

template <int columns>
void some_columns(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into) {
  constexpr decltype(&some_rows<1, columns>) blocks[] = {
      some_rows<1, columns>, some_rows<2, columns>, some_rows<3, columns>};
  std::int64_t i = 0;
  while (i + lanes <= c.rows) {
    const std::int64_t vectors = std::min<std::int64_t>(most_vectors, (c.rows - i) / lanes);
    const std::int64_t height = vectors * lanes;
    blocks[vectors - 1](a.part(i, 0, height, a.columns), b, c.part(i, 0, height, columns), into);
    i += height;
  }
  last_rows(a.part(i, 0, c.rows - i, a.columns), b, c.part(i, 0, c.rows - i, columns), into);
}

void one_depth(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into) {
  constexpr decltype(&some_columns<1>) products[] = {some_columns<1>, some_columns<2>,
                                                     some_columns<3>, some_columns<4>};
  for (std::int64_t j = 0; j < c.columns; j += most_columns) {
    const std::int64_t columns = std::min<std::int64_t>(most_columns, c.columns - j);
    products[columns - 1](a, b.part(0, j, b.rows, columns), c.part(0, j, c.rows, columns), into);
  }
}

}  // namespace

bool is_narrow(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c) {
  return c.columns <= most_narrow && b.column_stride == 1 &&
         (a.row_stride == 1 || a.column_stride == 1);
}

void multiply_narrow(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into) {
  for (std::int64_t k = 0; k < a.columns; k += depth) {
    const std::int64_t count = std::min(depth, a.columns - k);
    one_depth(a.part(0, k, a.rows, count), b.part(k, 0, count, b.columns), c,
              k == 0 ? into : Into::add);
  }
}

}  // namespace phasewise::linear
