// How an elliptic equation is solved.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "exchange/protocol.hpp"
#include "exchange/sum_rounds.hpp"

namespace phasewise::ocean {

// pcg: conjugate gradients with two sums an iteration. chrongear: with one (D'Azevedo, Eijkhout,
// Romine, LAPACK Working Note 56 (1993)). pipelined: with one that is hidden behind the operator
// (Ghysels, Vanroose, Parallel Comput. 40 (2014) 224). pcsi: Chebyshev's iteration, with none
// (Huang et al., Geosci. Model Dev. 9 (2016) 4209).
enum class Method : std::uint8_t { pcg, chrongear, pipelined, pcsi };
// evp: tiles are solved exactly.
enum class Preconditioner : std::uint8_t { none, diagonal, evp };

struct SolverSetting {
  Method method = Method::pcsi;
  Preconditioner preconditioner = Preconditioner::evp;
  double tolerance = 1e-13;  // of the residual, over the length of the right-hand side
  int most_iterations = 2000;
  int iterations = 0;    // fixed number, without regard to the tolerance; 0: until the tolerance
  int check_every = 10;  // iterations, with pcsi
  int iterations_per_exchange = 1;  // 2: with pcsi, unless the preconditioner is evp
  exchange::Protocol halo = exchange::Protocol::irecv_isend;
  exchange::SumAlgorithm sum = exchange::SumAlgorithm::recursive_doubling;
  exchange::Protocol sum_protocol = exchange::Protocol::irecv_isend;
  std::string_view halo_phase = "solver_halo", sum_phase = "solver_sum";
};

}  // namespace phasewise::ocean
