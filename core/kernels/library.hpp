// A library of dense linear algebra that is found and loaded at run time: OpenBLAS, BLIS, the
// reference BLAS and LAPACK, or any with their Fortran symbols. Two of them in one process would
// take each other's symbols, so that a process loads one.
#pragma once

#include <cstdint>
#include <string>

namespace phasewise::kernels {

// Matrices are column by column, as in Fortran. All run on one thread.
class Library {
 public:
  // The library of a name, or of a path; it stays loaded. Throws std::invalid_argument with one
  // sentence if it cannot be loaded, which names the package that brings it, or if the process has
  // another one already.
  static const Library& load(const std::string& name);

  // C = A B.
  void dgemm(std::int64_t n, const double* a, const double* b, double* c) const;
  // Eigenvalues of a symmetric matrix, ascending; `a` becomes its vectors, or is lost. Throws
  // std::runtime_error if the solver fails.
  void dsyevd(bool vectors, std::int64_t n, double* a, double* values) const;
  // Eigenvalues and, if asked for, right vectors; those of a pair as real and imaginary parts.
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
