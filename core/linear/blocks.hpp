// Blocks of a few long vectors that are worked on together: a matrix is read once for all of them,
// and a row of the block is one SIMD value.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "linear/sparse.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::linear {

inline constexpr int block_vectors = 4;

// [rows][block_vectors]
using Block = parallel::Buffer<double>;
// [block_vectors][block_vectors], row by row
using Square = std::array<double, block_vectors * block_vectors>;

// next = scale A x + shift x + old next; if old is 0, next may hold anything. It takes 8 flops for
// each entry, and the bytes of a product, except for the vectors, of which there are three blocks.
void advance(const Csr& a, double scale, double shift, double old, const Block& x, Block& next);

// products[j] = basis[j]ᵀ w, for blocks 0 … count - 1.
void project(const std::vector<Block>& basis, int count, const Block& w,
             std::vector<Square>& products);
// w -= Σ_j basis[j] factors[j], and then the products of the rest, in one pass.
void subtract_and_project(const std::vector<Block>& basis, int count,
                          const std::vector<Square>& factors, Block& w,
                          std::vector<Square>& products);
void subtract(const std::vector<Block>& basis, int count, const std::vector<Square>& factors,
              Block& w);

// to = Σ_j basis[j] factors[j].
void combine(const std::vector<Block>& basis, int count, const std::vector<Square>& factors,
             Block& to);
// Makes the columns of x orthonormal, x = old x R⁻¹, and returns R, which is upper triangular. A
// column that depends on others becomes what rounding leaves of it.
Square orthonormalise(Block& x);

}  // namespace phasewise::linear
