// A kernel with its data, ready to run.
#pragma once

#include <memory>
#include <vector>

#include "kernels/description.hpp"

namespace phasewise::kernels {

class Case {
 public:
  virtual ~Case() = default;
  virtual void run() = 0;
  // The error of the last run. For dense problems it is the largest of LAPACK's test ratios, each
  // of which is the residual of an equation over n ε and the norms, and is below 30 if all is well.
  // For sparse ones it is the largest error over ε and the norm of the matrix.
  virtual double residual() = 0;
  // The eigenvalues of the Laplacian, if the kernel computes them.
  virtual std::vector<double> eigenvalues() const { return {}; }
};

// All ranks have the same matrices. Throws std::bad_alloc, and what Library throws.
std::unique_ptr<Case> make_case(const Description& description);
std::unique_ptr<Case> make_dense_case(const Description& description);
std::unique_ptr<Case> make_sparse_case(const Description& description);

}  // namespace phasewise::kernels
