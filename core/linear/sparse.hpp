// Sparse matrices and their products with vectors: compressed rows (CSR), and SELL-C-σ, in which
// the rows of a slice lie side by side (Kreutzer et al., SIAM J. Sci. Comput. 36 (2014) C401).
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/buffer.hpp"
#include "parallel/kernel.hpp"
#include "parallel/simd.hpp"

namespace phasewise::linear {

struct Csr {
  std::int64_t rows() const { return static_cast<std::int64_t>(start.size()) - 1; }
  std::int64_t entries() const { return static_cast<std::int64_t>(value.size()); }

  std::vector<std::int64_t> start;  // [rows + 1]: where each row begins in the others
  std::vector<std::int32_t> column;
  std::vector<double> value;
};

struct Sell {
  static constexpr int height = parallel::lanes;  // C, rows of a slice

  std::int64_t rows = 0, entries = 0;  // entries without the zeros that fill the slices
  std::vector<std::int64_t> start;     // [slices + 1]
  // Stored slice by slice, with entry k of all its rows together; aligned, so that no load takes
  // two cache lines.
  parallel::Buffer<std::int32_t> column;
  parallel::Buffer<double> value;
  // [slices]: whether the columns of each entry are consecutive, so that x is loaded with one
  // contiguous load.
  std::vector<std::uint8_t> together;
  std::vector<std::int32_t> row;  // [slices * C]: row of the matrix; -1 beyond its end
  bool in_order = true;           // whether no row was moved
};

// The five-point Laplacian with the boundary fixed, n x n points, row by row: 4 on the diagonal and
// -1 for each neighbour. Its eigenvalues are 4 - 2 cos(i π / (n + 1)) - 2 cos(j π / (n + 1)),
// i, j = 1 … n.
Csr laplacian(std::int64_t n);

// The rows of each `window` (σ, a multiple of C) are sorted by length, the longest first; with a
// window of 1 they stay in order.
Sell sell_of(const Csr& a, std::int64_t window);

// One item is a product with a vector, 2 flops for each entry. The bytes, each counted once, are 12
// for each entry (8 for its value, 4 for its column), and for each row 8 for its start, 8 for x,
// and 16 for y, whose lines are read before they are written.
parallel::KernelCard csr_card(double rows, double entries);
// The same; the padding counts as entries, and each slice has one start instead of one for each
// row.
parallel::KernelCard sell_card(double rows, double entries);

// y = A x. Both sum a row in the order of its entries, with fused multiply-adds.
void multiply(const Csr& a, const double* x, double* y);
void multiply(const Sell& a, const double* x, double* y);

}  // namespace phasewise::linear
