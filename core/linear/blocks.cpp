#include "linear/blocks.hpp"

#include <algorithm>
#include <cmath>

#include "parallel/simd.hpp"

namespace phasewise::linear {
namespace {

constexpr int b = block_vectors;
using Row = parallel::Vector<double, b>;
// The number of rows of a block that stay in the first-level cache beside those of another block.
constexpr std::int64_t chunk = 256;

Row row_at(const double* block, std::int64_t row) { return parallel::load<b>(block + row * b); }
void set_row(double* block, std::int64_t row, Row value) {
  parallel::store(block + row * b, value);
}
Row all(double value) { return parallel::all_lanes<double, b>(value); }

// Multiplies x by a square.
struct Factor {
  explicit Factor(const Square& square) {
    for (int i = 0; i < b; ++i) rows[i] = row_at(square.data(), i);
  }
  Row rows[b];
};

Row times(const double* x, const Factor& factor) {
  Row sum = all(x[0]) * factor.rows[0];
  for (int i = 1; i < b; ++i) sum += all(x[i]) * factor.rows[i];
  return sum;
}

// Adds vᵀ w of some rows to a square.
void add_products(const double* v, const double* w, std::int64_t rows, Square& square) {
  Row even[b] = {}, odd[b] = {};  // two sums each, so that neither waits for the other
  std::int64_t row = 0;
  for (; row + 1 < rows; row += 2) {
    const Row first = row_at(w, row), second = row_at(w, row + 1);
    for (int i = 0; i < b; ++i) {
      even[i] += all(v[row * b + i]) * first;
      odd[i] += all(v[(row + 1) * b + i]) * second;
    }
  }
  for (; row < rows; ++row)
    for (int i = 0; i < b; ++i) even[i] += all(v[row * b + i]) * row_at(w, row);
  for (int i = 0; i < b; ++i)
    for (int j = 0; j < b; ++j) square[i * b + j] += even[i][j] + odd[i][j];
}

void subtract_product(const double* v, const Factor& factor, std::int64_t rows, double* w) {
  for (std::int64_t row = 0; row < rows; ++row)
    set_row(w, row, row_at(w, row) - times(v + row * b, factor));
}

template <class F>
void for_chunks(const Block& block, F&& f) {
  const std::int64_t rows = block.size() / b;
  for (std::int64_t first = 0; first < rows; first += chunk)
    f(first * b, std::min(chunk, rows - first));
}

std::vector<Factor> factors_of(const std::vector<Square>& squares, int count) {
  return {squares.begin(), squares.begin() + count};
}

Square identity() {
  Square unit{};
  for (int i = 0; i < b; ++i) unit[i * b + i] = 1.0;
  return unit;
}

Square product(const Square& x, const Square& y) {
  Square result{};
  for (int i = 0; i < b; ++i)
    for (int j = 0; j < b; ++j)
      for (int k = 0; k < b; ++k) result[i * b + j] += x[i * b + k] * y[k * b + j];
  return result;
}

// The upper triangle R of RᵀR = gram. A pivot lost to rounding is kept above zero.
Square cholesky(const Square& gram) {
  constexpr double least = 1e-30;
  Square r{};
  for (int i = 0; i < b; ++i)
    for (int j = i; j < b; ++j) {
      double rest = gram[i * b + j];
      for (int k = 0; k < i; ++k) rest -= r[k * b + i] * r[k * b + j];
      r[i * b + j] = j > i ? rest / r[i * b + i]
                           : std::sqrt(std::max(rest, least * std::max(gram[i * b + i], least)));
    }
  return r;
}

Square inverse_of(const Square& upper) {
  Square inverse{};
  for (int j = 0; j < b; ++j)
    for (int i = j; i >= 0; --i) {
      double rest = i == j ? 1.0 : 0.0;
      for (int k = i + 1; k <= j; ++k) rest -= upper[i * b + k] * inverse[k * b + j];
      inverse[i * b + j] = rest / upper[i * b + i];
    }
  return inverse;
}

}  // namespace

void advance(const Csr& a, double scale, double shift, double old, const Block& x, Block& next) {
  const double *value = a.value.data(), *from = x.data();
  const std::int32_t* column = a.column.data();
  double* to = next.data();
  if (old == 0.0) std::fill_n(to, next.size(), 0.0);  // it may contain NaN
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    Row sum{};
    for (std::int64_t k = a.start[row]; k < a.start[row + 1]; ++k)
      sum += all(value[k]) * row_at(from, column[k]);
    set_row(to, row,
            all(scale) * sum + all(shift) * row_at(from, row) + all(old) * row_at(to, row));
  }
}

void project(const std::vector<Block>& basis, int count, const Block& w,
             std::vector<Square>& products) {
  products.assign(count, Square{});
  for_chunks(w, [&](std::int64_t at, std::int64_t rows) {
    for (int j = 0; j < count; ++j)
      add_products(basis[j].data() + at, w.data() + at, rows, products[j]);
  });
}

void subtract_and_project(const std::vector<Block>& basis, int count,
                          const std::vector<Square>& factors, Block& w,
                          std::vector<Square>& products) {
  const std::vector<Factor> all_factors = factors_of(factors, count);
  products.assign(count, Square{});
  for_chunks(w, [&](std::int64_t at, std::int64_t rows) {
    for (int j = 0; j < count; ++j)
      subtract_product(basis[j].data() + at, all_factors[j], rows, w.data() + at);
    for (int j = 0; j < count; ++j)
      add_products(basis[j].data() + at, w.data() + at, rows, products[j]);
  });
}

void subtract(const std::vector<Block>& basis, int count, const std::vector<Square>& factors,
              Block& w) {
  const std::vector<Factor> all_factors = factors_of(factors, count);
  for_chunks(w, [&](std::int64_t at, std::int64_t rows) {
    for (int j = 0; j < count; ++j)
      subtract_product(basis[j].data() + at, all_factors[j], rows, w.data() + at);
  });
}

void combine(const std::vector<Block>& basis, int count, const std::vector<Square>& factors,
             Block& to) {
  const std::vector<Factor> all_factors = factors_of(factors, count);
  for_chunks(to, [&](std::int64_t at, std::int64_t rows) {
    double* here = to.data() + at;
    std::fill_n(here, rows * b, 0.0);
    for (int j = 0; j < count; ++j)
      for (std::int64_t row = 0; row < rows; ++row)
        set_row(here, row,
                row_at(here, row) + times(basis[j].data() + at + row * b, all_factors[j]));
  });
}

Square orthonormalise(Block& x) {
  Square triangle = identity();
  // Two passes, since the first one loses digits where columns are nearly parallel.
  for (int pass = 0; pass < 2; ++pass) {
    Square gram{};
    for_chunks(x, [&](std::int64_t at, std::int64_t rows) {
      add_products(x.data() + at, x.data() + at, rows, gram);
    });
    const Square upper = cholesky(gram);
    const Factor inverse(inverse_of(upper));
    for (std::int64_t row = 0; row < x.size() / b; ++row)
      set_row(x.data(), row, times(x.data() + row * b, inverse));
    triangle = product(upper, triangle);
  }
  return triangle;
}

}  // namespace phasewise::linear
