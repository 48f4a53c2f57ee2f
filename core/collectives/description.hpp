// The parameters of collectives: what all ranks do together, by one call of the library or by our
// own rounds of messages, either blocking, or started, computed beside, and finished.
#pragma once

#include <cstdint>
#include <string>

#include "exchange/protocol.hpp"
#include "exchange/sum_rounds.hpp"
#include "workload/parameters.hpp"

namespace phasewise::collectives {

// sum adds 1 to 8 doubles, exactly in any order (workload/global_sum.hpp).
enum class Operator : std::uint8_t {
  barrier,
  broadcast,
  allreduce,
  reduce_scatter,
  allgather,
  alltoall,
  alltoallv,
  sum,
  reduce,
  gather,
  scatter,
  scan,
  exclusive_scan
};

// library is one call; the others are rounds. `offers` says which of them an operator has.
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
  exchange::Protocol protocol = exchange::Protocol::irecv_isend;  // of the rounds
};

struct Description {
  // Throws std::invalid_argument with one sentence if the parameters cannot be used.
  explicit Description(const workload::Parameters& parameters);

  Operator operation = Operator::allreduce;
  std::int64_t bytes = 8;  // of a rank's block, or of all values where all ranks have the same ones
  bool blocking = true;
  double work = 0.0;   // flops: after a blocking collective, or between its start and its end
  bool verify = true;  // whether every value is checked
  Manner manner;
};

bool offers(Operator operation, Algorithm algorithm);
// The algorithm for a sum of whole messages.
exchange::SumAlgorithm sum_algorithm(Algorithm algorithm);

// Throws std::invalid_argument if the operator has no such algorithm.
Manner read_manner(const workload::Parameters& parameters, Operator operation);

}  // namespace phasewise::collectives
