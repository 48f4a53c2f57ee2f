// A library's collectives as rounds of point-to-point messages: the algorithms that libraries use
// for data of our sizes, and that phasewise/machines/twin.py selects for the simulated twins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phasewise::contention {

struct CollectiveSend {
  int peer;  // member
  std::int64_t bytes;
};
struct CollectiveRound {
  std::vector<CollectiveSend> sends;
  std::vector<int> receives;  // members
};
using CollectiveRounds = std::vector<CollectiveRound>;

// All functions return the rounds of member `me`.

// Broadcasts from member 0 to all along a binomial tree.
CollectiveRounds broadcast_rounds(int p, int me, std::int64_t bytes);
// Sums over p members, all of which get the result: halving, nearest first, then doubling
// (Rabenseifner). Members beyond a power of two first give their values to a neighbour, and get the
// sums last.
CollectiveRounds sum_rounds(int p, int me, std::int64_t bytes);
// The same by recursive doubling of whole vectors, which short ones have.
CollectiveRounds short_sum_rounds(int p, int me, std::int64_t bytes);
// Sums over p members along a binomial tree to member 0.
CollectiveRounds reduce_rounds(int p, int me, std::int64_t bytes);
// Reduce-scatter around a ring, block by block; member i ends with blocks[i] bytes.
CollectiveRounds reduce_ring_rounds(std::span<const std::int64_t> blocks, int me);
// All-gather around a ring, in pieces of the smallest block's size, but at least 32 kB. If blocks
// differ, members send a piece while they receive one of another block, which takes longer.
CollectiveRounds gather_ring_rounds(std::span<const std::int64_t> blocks, int me);
// All-gather of equal blocks, whose number doubles from round to round (Bruck et al., IEEE
// Transactions on Parallel and Distributed Systems 8, 1997).
CollectiveRounds gather_bruck_rounds(int p, int me, std::int64_t bytes);
// Every member sends a block to every other: along Bruck's rounds if blocks are below 200 B and the
// members more than 12, as in Open MPI, and else all at once.
CollectiveRounds all_to_all_rounds(int p, int me, std::int64_t bytes);
// Member 0 sends a block to each other one, all at once.
CollectiveRounds scatter_rounds(std::span<const std::int64_t> blocks, int me);
// Member 0 receives the blocks of all.
CollectiveRounds gather_rounds(std::span<const std::int64_t> blocks, int me);
// Every member sends this many bytes to every later one, all at once.
CollectiveRounds scan_rounds(int p, int me, std::int64_t bytes);
// Member 0 receives all blocks, one by one, and sends them to all along a binomial tree.
CollectiveRounds gather_and_broadcast_rounds(std::span<const std::int64_t> blocks, int me);
// Every member learns that all have come, by recursive doubling with empty messages. Members beyond
// a power of two first tell a neighbour, and hear from it last.
CollectiveRounds barrier_rounds(int p, int me);
// Every member sends to every other at once.
CollectiveRounds all_at_once(int p, int me, std::int64_t bytes_to_each);
// Member 0 sends this many bytes to each member; if it gathers, it also receives an empty message
// from each.
CollectiveRounds from_first_at_once(int p, int me, std::int64_t bytes, bool gathers);
// The same with different numbers of bytes for each member, and from each.
CollectiveRounds all_at_once(std::span<const std::int64_t> to, std::span<const std::int64_t> from,
                             int me);

}  // namespace phasewise::contention
