// A library of dense linear algebra that is found and loaded at run time: OpenBLAS, BLIS, the
// reference BLAS and LAPACK, or any with their Fortran symbols. Two of them in one process would
// call each other's functions, so that a process loads only one.
#pragma once

#include <cstdint>
#include <string>

namespace phasewise::kernels {

// Matrices are stored by columns, as in Fortran. All functions run on one thread.
class Library {
 public:
  // Loads the library with this name or path; it stays loaded. Throws std::invalid_argument with
  // one sentence if it cannot be loaded, which names its package, or if the process has loaded
  // another one before.
  static const Library& load(const std::string& name);

  // C = A B.
  void dgemm(std::int64_t n, const double* a, const double* b, double* c) const;
  // Computes the eigenvalues of a symmetric matrix, ascending. `a` becomes the eigenvectors, or is
  // overwritten if they are not asked for. Throws std::runtime_error if the solver fails.
  void dsyevd(bool vectors, std::int64_t n, double* a, double* values) const;
  // Computes eigenvalues and, if asked for, right eigenvectors; those of a complex pair are stored
  // as a real and an imaginary part. `a` is overwritten.
  void dgeev(bool vectors, std::int64_t n, double* a, double* real, double* imaginary,
             double* right) const;

 private:
  explicit Library(const std::string& name);
  void* symbol(const char* name) const;

  std::string name_;
  void* blas_ = nullptr;
  void* lapack_ = nullptr;
};

}  // namespace phasewise::kernels
