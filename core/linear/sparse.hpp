// Sparse matrices and their products with vectors: compressed rows (CSR), and SELL-C-σ, in which
// the rows of a slice lie side by side (Kreutzer et al., SIAM J. Sci. Comput. 36 (2014) C401).
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/buffer.hpp"
#include "parallel/kernel.hpp"
#include "parallel/lanes.hpp"

namespace phasewise::linear {

struct Csr {
  std::int64_t rows() const { return static_cast<std::int64_t>(start.size()) - 1; }
  std::int64_t entries() const { return static_cast<std::int64_t>(value.size()); }

  std::vector<std::int64_t> start;  // [rows + 1]: of each row in the others
  std::vector<std::int32_t> column;
  std::vector<double> value;
};

struct Sell {
  static constexpr int height = parallel::lanes;  // C, rows of a slice

  std::int64_t rows = 0, entries = 0;  // entries without the zeros that fill the slices
  std::vector<std::int64_t> start;     // [slices + 1]
  // Slice after slice, entry k of all its rows together; aligned, so that no load takes two lines.
  parallel::Buffer<std::int32_t> column;
  parallel::Buffer<double> value;
  // [slices]: whether the columns of each entry follow each other, so that x is loaded from one
  // place
  std::vector<std::uint8_t> together;
  std::vector<std::int32_t> row;  // [slices * C]: of the matrix; -1 beyond its end
  bool in_order = true;           // whether no row has changed its place
};

// The five-point Laplacian with the boundary fixed, n x n points, row by row: 4 on the diagonal and
// -1 for each neighbour. Its eigenvalues are 4 - 2 cos(i π / (n + 1)) - 2 cos(j π / (n + 1)),
// i, j = 1 … n.
Csr laplacian(std::int64_t n);

// The rows of each `window` (σ, a multiple of C) are sorted by their lengths, longest first; 1:
// they stay in order.
Sell sell_of(const Csr& a, std::int64_t window);

// One item: a product with a vector. 2 flops for each entry. Bytes, each once: 12 for each entry
// (8 for its value, 4 for its column); for each row 8 for its start, 8 for x, and 16 for y, whose
// lines are read before they are written.
parallel::KernelCard csr_card(double rows, double entries);
// Likewise; the fill counts as entries, and instead of a start a slice has one.
parallel::KernelCard sell_card(double rows, double entries);

// y = A x. Sums of a row are in the order of its entries in both, with fused multiply-adds.
void multiply(const Csr& a, const double* x, double* y);
void multiply(const Sell& a, const double* x, double* y);

}  // namespace phasewise::linear
