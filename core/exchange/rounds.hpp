// An exchange algorithm as data: which chunks each member of a team sends to whom, round by round.
// There is no MPI and no memory here; the executor runs the rounds, and the plan counts them.
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace phasewise::exchange {

// Members of a team are numbered 0 … p - 1.
struct Transfer {
  int peer;                 // member
  std::vector<int> chunks;  // increasing
};

// All messages of a round are in transit together; the next round begins when they have arrived.
struct Round {
  std::vector<Transfer> sends, receives;
};
using Rounds = std::vector<Round>;
using RoundsPointer = std::shared_ptr<const Rounds>;
// The round of the same messages in the opposite direction.
inline Round opposite(const Round& round) { return {round.receives, round.sends}; }

enum class Algorithm { direct, hypercube, node_aware, library };
enum class Schedule { ring, pairwise };

// Reduce-scatter: every member begins with a value for each of p chunks, and member i ends with the
// sum of chunk i. Data that arrive are added. nodes[i] is the node of member i (node-aware only).
//
// direct has p - 1 rounds with one message each way: in a ring to me + k and from me - k, pairwise
// with me XOR k (a member has no partner in some rounds unless p is a power of two). hypercube
// halves the data, and exchanges with the nearest member first (core/exchange/hypercube.cpp, for
// any p). node_aware exchanges among the members of a node first, then between nodes. library has
// no rounds. A round has the same number at both ends of a message, and no message is empty. Throws
// std::invalid_argument unless 0 <= me < p.
Rounds reduce_rounds(Algorithm algorithm, Schedule schedule, int me, std::span<const int> nodes);

// The same rounds backwards are an all-gather: every member sends the chunks that it received and
// receives those that it sent, the last round first. Data that arrive are stored.
Rounds reversed(const Rounds& rounds);

Rounds direct_rounds(Schedule schedule, int me, int p);
// A reduce-scatter in which each member sends to the next one only: p - 1 rounds, in which a chunk
// travels along the ring and gathers the values of the members that it passes.
Rounds pipelined_ring_rounds(int me, int p);
Rounds hypercube_rounds(int me, int p);
Rounds node_aware_rounds(Schedule schedule, int me, std::span<const int> nodes);

enum class Transpose { pairwise, ring, bruck, alltoallw };

// All-to-all: every member holds p blocks, block j for member j, and ends with p blocks, block j
// from member j. Chunks are slots here. With pairwise and ring, slot j is sent to j, and the block
// from j goes into slot j of a second buffer. bruck works in place on slots that were rotated
// before (slot i has the block for me + i) and are rotated back afterwards (slot i has the block
// from me - i). alltoallw is the library's, without rounds. Throws std::invalid_argument unless 0
// <= me < p.
Rounds transpose_rounds(Transpose algorithm, int me, int p);

Rounds bruck_rounds(int me, int p);

// Throws std::invalid_argument unless 0 <= me < p.
void require_member(int me, int p);

}  // namespace phasewise::exchange
