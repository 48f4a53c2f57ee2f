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
  // Of the last run. For dense problems LAPACK's test ratios, which are below 30 where all is well:
  // what is left of the equations, over n ε and the norms. For sparse ones the largest error over ε
  // and the norm of the matrix.
  virtual double residual() = 0;
  // Of the Laplacian, where they were asked for.
  virtual std::vector<double> eigenvalues() const { return {}; }
};

// The same matrices on all ranks. Throws std::bad_alloc, and what Library throws.
std::unique_ptr<Case> make_case(const Description& description);
std::unique_ptr<Case> make_dense_case(const Description& description);
std::unique_ptr<Case> make_sparse_case(const Description& description);

}  // namespace phasewise::kernels
