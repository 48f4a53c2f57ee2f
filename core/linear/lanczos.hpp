// The smallest eigenvalues of a sparse symmetric matrix, and their vectors: thick-restart Lanczos
// (Wu, Simon, SIAM J. Matrix Anal. Appl. 22 (2000) 602) with blocks, on a polynomial of the matrix
// instead of the matrix. The Chebyshev polynomial of the interval [cut, largest eigenvalue] is
// between -1 and 1 there, and grows steeply below it (Zhou, Saad, ibid. 29 (2007) 954): one step of
// Lanczos then does the work of many, and there are fewer vectors to keep orthogonal. The cut
// follows from an estimate of how many eigenvalues lie below it.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/blocks.hpp"

namespace phasewise::linear {

struct EigenSettings {
  int wanted = 10;
  // The largest norm of A x - λ x, relative to the largest sum of a row's absolute values.
  double tolerance = 1e-10;
  std::int64_t most_products = 2'000'000;
  std::uint64_t seed = 1;
};

struct Eigenpairs {
  std::vector<double> values;     // ascending
  std::vector<double> residuals;  // norms of A x - λ x
  std::vector<double> vectors;    // [wanted][rows]
  std::int64_t products = 0;      // of the matrix with a vector
  std::int64_t restarts = 0;
  double flops = 0.0;  // in these products, the polynomials' other terms and the projections
  bool converged = false;
};

// An eigenvalue's error is about the square of its residual over its distance to the next one.
// Takes the memory of some 8 times as many vectors as are wanted. Equal eigenvalues are found as
// often as they occur, up to block_vectors times. Throws std::invalid_argument for a matrix with
// fewer than 128 rows, or with fewer than 12 times as many as are wanted.
Eigenpairs smallest_eigenpairs(const Csr& a, const EigenSettings& settings);

}  // namespace phasewise::linear
