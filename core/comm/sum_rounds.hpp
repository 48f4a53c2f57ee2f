// Sums of a few values over all members of a team, known to all of them, as rounds of messages that
// hold all values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "comm/rounds.hpp"

namespace phasewise::comm {

// recursive_doubling: with members 1, 2, 4 … away; members beyond a power of two give their values
// to another one first, and get the sums last. binomial: along a tree to member 0, and back.
// dissemination (Hensgen, Finkel, Manber, Int. J. Parallel Program. 17 (1988) 1): to members 1, 2,
// 4 … ahead. node_aware: along a tree to a node's first member, doubling among these, and back.
// put: as recursive_doubling, by one-sided messages. library: one call of it, without rounds.
enum class SumAlgorithm { library, recursive_doubling, binomial, dissemination, node_aware, put };

// The names of the algorithms in this order, as parameters have them; the library is "mpi".
const std::vector<std::string>& sum_algorithms();

// Chunk 0 is a member's own values, chunk 1 a second register of the same size, zero at first.
// First come the rounds in which what arrives is added, then those in which it is stored. The sums
// are in chunk `result` at the end.
struct SumRounds {
  Rounds added, stored;
  int result = 0;
};

// nodes[i]: the node of member i. A round has the same number at both ends of a message. Throws
// std::invalid_argument unless 0 <= me < p.
SumRounds sum_rounds(SumAlgorithm algorithm, int me, std::span<const int> nodes);

}  // namespace phasewise::comm
