#include "linear/narrow.hpp"

#include <algorithm>
#include <cmath>

#include "linear/square_of_lanes.hpp"

namespace phasewise::linear {
namespace {

using parallel::Lanes;
using parallel::lanes;

// A block of C in registers: some vectors of rows by some columns. All loops over it are unrolled,
// since the compiler keeps it in memory otherwise.
constexpr int most_vectors = 3;
constexpr int most_columns = 4;

template <int vectors, int columns>
struct Block {
  Lanes sum[vectors][columns];

  Block() {
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v)
#pragma GCC unroll 4
      for (int j = 0; j < columns; ++j) sum[v][j] = Lanes{};
  }
  [[gnu::always_inline]] void add(const Lanes (&a)[vectors], const double* b) {
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) {
      const Lanes from_b = parallel::all_lanes<double, lanes>(b[j]);
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) sum[v][j] = parallel::fused(a[v], from_b, sum[v][j]);
    }
  }
  // The rows from `first` on.
  void store(const Matrix& c, std::int64_t first, Into into) const {
    if constexpr (columns == lanes)
      if (c.column_stride == 1) return store_rows(c, first, into);
    double sums[columns][vectors * lanes];
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j)
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) parallel::store(&sums[j][v * lanes], sum[v][j]);
    for (std::int64_t i = first; i < vectors * lanes; ++i)
      for (int j = 0; j < columns; ++j)
        c(i, j) = into == Into::set ? sums[j][i] : c(i, j) + sums[j][i];
  }

 private:
  void store_rows(const Matrix& c, std::int64_t first, Into into) const {
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) {
      Lanes rows[lanes];
#pragma GCC unroll 8
      for (int j = 0; j < lanes; ++j) rows[j] = sum[v][j];
      transpose(rows);
#pragma GCC unroll 8
      for (int lane = 0; lane < lanes; ++lane) {
        if (v * lanes + lane < first) continue;
        double* at = &c(v * lanes + lane, 0);
        parallel::store(at, into == Into::set ? rows[lane] : parallel::load(at) + rows[lane]);
      }
    }
  }
};

// Rows of A next to each other in memory.
template <int vectors, int columns>
void along_rows(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, std::int64_t first,
                Into into) {
  Block<vectors, columns> block;
  for (std::int64_t k = 0; k < a.columns; ++k) {
    Lanes from_a[vectors];
    // The columns may lie in different pages, across which the processor does not prefetch.
    const double* coming = &a(0, std::min(k + ahead, a.columns - 1));
    __builtin_prefetch(coming);
    __builtin_prefetch(coming + vectors * lanes - 1);
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) from_a[v] = parallel::load(&a(v * lanes, k));
    block.add(from_a, &b(k, 0));
  }
  block.store(c, first, into);
}

// Columns of A next to each other in memory: squares of it are transposed in registers.
template <int vectors, int columns>
void along_columns(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, std::int64_t first,
                   Into into) {
  Block<vectors, columns> block;
  std::int64_t k = 0;
  for (; k + lanes <= a.columns; k += lanes) {
    Lanes squares[vectors][lanes];
    for (int v = 0; v < vectors; ++v) load_transposed(&a(v * lanes, k), a.row_stride, squares[v]);
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
  block.store(c, first, into);
}

template <int vectors, int columns>
void some_rows(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, std::int64_t first,
               Into into) {
  if (a.row_stride == 1)
    along_rows<vectors, columns>(a, b, c, first, into);
  else
    along_columns<vectors, columns>(a, b, c, first, into);
}

// The product if its rows do not fill a vector.
void few_rows(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into) {
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
  const std::int64_t whole = c.rows / lanes;
  if (whole == 0) return few_rows(a, b, c, into);
  // Rows that do not fill the last vector share it with rows that are summed twice.
  for (std::int64_t i = 0; i < c.rows;) {
    const std::int64_t needed = (c.rows - i + lanes - 1) / lanes;
    const std::int64_t vectors = std::min({std::int64_t{most_vectors}, needed, whole});
    const std::int64_t height = vectors * lanes, begin = std::min(i, c.rows - height);
    blocks[vectors - 1](a.part(begin, 0, height, a.columns), b, c.part(begin, 0, height, columns),
                        i - begin, into);
    i = begin + height;
  }
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
  if (b.column_stride != 1) return false;
  if (a.row_stride == 1) return c.columns <= most_narrow;
  return a.column_stride == 1 && c.columns <= most_narrow_transposed;
}

void multiply_narrow(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into) {
  for (std::int64_t k = 0; k < a.columns; k += depth) {
    const std::int64_t count = std::min(depth, a.columns - k);
    one_depth(a.part(0, k, a.rows, count), b.part(k, 0, count, b.columns), c,
              k == 0 ? into : Into::add);
  }
}

}  // namespace phasewise::linear
