// The parameters of collectives: what all ranks do together, by one call of the library or by our
// own rounds of messages, blocking or started and finished with computing in between.
#pragma once

#include <cstdint>
#include <string>

#include "exchange/protocol.hpp"
#include "exchange/sum_rounds.hpp"
#include "workload/parameters.hpp"

namespace phasewise::collectives {

// sum: of 1 to 8 doubles, exact in any order (workload/global_sum.hpp).
enum class Operator : std::uint8_t {
  barrier,
  broadcast,
  allreduce,
  reduce_scatter,
  allgather,
  alltoall,
  alltoallv,
  sum
};

// library: one call. The others are rounds; which of them an operator has: `offers`.
enum class Algorithm : std::uint8_t {
  library,
  ring,
  pairwise,
  hypercube,
  node_aware,
  recursive_doubling,
  binomial,
  dissemination,
  put
};

// How the ranks exchange.
struct Manner {
  Algorithm algorithm = Algorithm::library;
  exchange::Protocol protocol = exchange::Protocol::irecv_isend;  // of rounds
};

struct Description {
  // Throws std::invalid_argument with one sentence if the parameters cannot be used.
  explicit Description(const workload::Parameters& parameters);

  Operator operation = Operator::allreduce;
  std::int64_t bytes = 8;  // of a rank's block; of broadcast, allreduce and sum, of all values
  bool blocking = true;
  double work = 0.0;   // flops beside it: behind it, or between its start and its end
  bool verify = true;  // whether every value is checked
  Manner manner;
};

bool offers(Operator operation, Algorithm algorithm);
// The algorithm of a sum of whole messages.
exchange::SumAlgorithm sum_algorithm(Algorithm algorithm);

// Throws std::invalid_argument if the operator has no such algorithm.
Manner read_manner(const workload::Parameters& parameters, Operator operation);

}  // namespace phasewise::collectives
