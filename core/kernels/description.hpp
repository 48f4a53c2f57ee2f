// The parameters of a serial kernel that every rank runs: the kernel, its size, and its library.
#pragma once

#include <cstdint>
#include <string>

#include "parallel/kernel.hpp"
#include "workload/parameters.hpp"

namespace phasewise::kernels {

enum class Kernel { dgemm, dsyevd, dgeev, csr, sell, lanczos };

inline constexpr const char* ours = "phasewise";
inline constexpr const char* plain = "plain";  // loops without blocks

struct Description {
  // Throws std::invalid_argument with one sentence if the parameters cannot be used.
  explicit Description(const workload::Parameters& parameters);

  Kernel kernel = Kernel::dgemm;
  std::string library = ours;    // or openblas, blis, reference, or a library's path
  std::int64_t n = 0;            // rows of a dense matrix; points along each side of a Laplacian
  std::int64_t repetitions = 1;  // per turn
  bool vectors = false;          // whether dsyevd and dgeev compute vectors besides the eigenvalues
  bool verify = true;            // whether the result of each turn is checked

  bool of_library() const { return library != ours && library != plain; }
};

// The number of eigenvalues that lanczos computes.
inline constexpr int wanted = 10;

// One item is a call. The flops are counted by convention: 2 n³ for dgemm, 4/3 n³ and 10 n³ for the
// eigenvalues of dsyevd and dgeev, 9 n³ and 25 n³ with vectors, and 2 for each entry of a sparse
// matrix. Those of lanczos are an estimate, since the number of its products depends on its data.
// The bytes of dense matrices count reading and writing each of them once, the least that a solver
// needs.
parallel::KernelCard card_of(const Description& description);

}  // namespace phasewise::kernels
