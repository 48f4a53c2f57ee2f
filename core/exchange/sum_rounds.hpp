// Sums of a few values over all members of a team, which all members get, as rounds of messages
// that hold all values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "exchange/rounds.hpp"

namespace phasewise::exchange {

// recursive_doubling: exchanges with members 1, 2, 4 … away; members beyond a power of two first
// give their values to another member, and get the sums last. binomial: along a tree to member 0,
// and back. dissemination (Hensgen, Finkel, Manber, Int. J. Parallel Program. 17 (1988) 1): sends
// to members 1, 2, 4 … ahead. node_aware: along a tree to a node's first member, doubling among
// these members, and back. put: as recursive_doubling, by one-sided messages. library: one call of
// the library, without rounds.
enum class SumAlgorithm { library, recursive_doubling, binomial, dissemination, node_aware, put };

// The names of the algorithms in this order, as in parameters; that of the library is "mpi".
const std::vector<std::string>& sum_algorithms();

// Chunk 0 has a member's own values, chunk 1 is a second register of the same size that starts at
// zero. Data are added in the first rounds and stored in the later ones. The sums end in chunk
// `result`.
struct SumRounds {
  Rounds added, stored;
  int result = 0;
};

// nodes[i] is the node of member i. A round has the same number at both ends of a message. Throws
// std::invalid_argument unless 0 <= me < p.
SumRounds sum_rounds(SumAlgorithm algorithm, int me, std::span<const int> nodes);

// The rounds of recursive doubling, and those of a binomial tree, whose `stored` are a broadcast.
SumRounds doubling_rounds(int me, int p);
SumRounds tree_rounds(int me, int p);

}  // namespace phasewise::exchange
