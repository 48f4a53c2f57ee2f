// Eigenvalues and vectors of small symmetric matrices, by Jacobi's cyclic rotations (Golub, Van
// Loan, Matrix Computations, 8.5).
#pragma once

#include <vector>

namespace phasewise::linear {

struct SmallEigen {
  std::vector<double> values;   // ascending
  std::vector<double> vectors;  // [n][n]: vector after vector
};

// `a` is [n][n] and symmetric. Takes some 50 n³ flops, so that n should be at most a hundred.
SmallEigen small_eigen(std::vector<double> a, int n);

}  // namespace phasewise::linear
