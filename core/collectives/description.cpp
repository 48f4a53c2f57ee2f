#include "collectives/description.hpp"

#include "workload/protocols.hpp"

namespace phasewise::collectives {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{1} << 28;
constexpr std::int64_t most_sum_bytes = 64;

}  // namespace

bool offers(Operator operation, Algorithm algorithm) {
  if (algorithm == Algorithm::library) return true;
  switch (operation) {
    case Operator::barrier:
      return algorithm == Algorithm::dissemination;
    case Operator::broadcast:
    case Operator::reduce:
    case Operator::gather:
    case Operator::scatter:
      return algorithm == Algorithm::binomial;
    case Operator::scan:
    case Operator::exclusive_scan:
      return algorithm == Algorithm::dissemination;
    case Operator::allreduce:
      return true;
    case Operator::reduce_scatter:
    case Operator::allgather:
      return algorithm <= Algorithm::node_aware;
    case Operator::alltoall:
    case Operator::alltoallv:
      return algorithm == Algorithm::ring || algorithm == Algorithm::pairwise;
    case Operator::sum:
      break;
  }
  return algorithm >= Algorithm::node_aware;
}

exchange::SumAlgorithm sum_algorithm(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::node_aware:
      return exchange::SumAlgorithm::node_aware;
    case Algorithm::binomial:
      return exchange::SumAlgorithm::binomial;
    case Algorithm::dissemination:
      return exchange::SumAlgorithm::dissemination;
    case Algorithm::put:
      return exchange::SumAlgorithm::put;
    case Algorithm::recursive_doubling:
      return exchange::SumAlgorithm::recursive_doubling;
    default:
      return exchange::SumAlgorithm::library;
  }
}

Manner read_manner(const workload::Parameters& parameters, Operator operation) {
  const std::string key = "communication.algorithm";
  Manner manner{.protocol = workload::protocol_in(parameters)};
  if (!parameters.has(key)) return manner;
  manner.algorithm = static_cast<Algorithm>(
      parameters.choice(key, {"library", "ring", "pairwise", "hypercube", "node-aware",
                              "recursive-doubling", "binomial", "dissemination", "put"}));
  if (!offers(operation, manner.algorithm))
    parameters.fail(key, "collectives.operator has no such algorithm");
  if (manner.algorithm == Algorithm::put) manner.protocol = exchange::Protocol::put;
  return manner;
}

Description::Description(const workload::Parameters& parameters) {
  operation = static_cast<Operator>(parameters.choice(
      "collectives.operator",
      {"barrier", "broadcast", "allreduce", "reduce-scatter", "allgather", "alltoall", "alltoallv",
       "sum", "reduce", "gather", "scatter", "scan", "exscan"}));
  bytes = parameters.integer("collectives.bytes");
  const std::int64_t most = operation == Operator::sum ? most_sum_bytes : max_bytes;
  if (bytes < 8 || bytes > most || bytes % 8 != 0)
    parameters.fail("collectives.bytes", "give a multiple of 8 up to " + std::to_string(most));
  blocking = parameters.integer("collectives.blocking") != 0;
  work = parameters.not_negative("collectives.work");
  verify = parameters.integer("collectives.verify") != 0;
  manner = read_manner(parameters, operation);
}

}  // namespace phasewise::collectives
