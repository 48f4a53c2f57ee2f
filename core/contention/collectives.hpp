// The library's collectives as the rounds of point-to-point messages that libraries use for data of
// our sizes, and that the simulated twins are told to use (phasewise/machines/twin.py).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phasewise::contention {

struct Part {
  int peer;  // member
  std::int64_t bytes;
};
struct CollectiveRound {
  std::vector<Part> sends;
  std::vector<int> receives;  // members
};
using CollectiveRounds = std::vector<CollectiveRound>;

// Of member `me` of p. Sum everywhere: halving, nearest first, then doubling (Rabenseifner);
// members beyond a power of two give their values to a neighbour first, and get the sums last.
CollectiveRounds sum_rounds(int p, int me, std::int64_t bytes);
// Reduce-scatter around a ring, block by block; blocks[i]: bytes that member i ends with.
CollectiveRounds reduce_ring_rounds(std::span<const std::int64_t> blocks, int me);
// All-gather around a ring, in pieces of the smallest block (but not of less than 32 kB): where
// blocks differ, members send a piece while they receive one of another block, and take longer.
CollectiveRounds gather_ring_rounds(std::span<const std::int64_t> blocks, int me);
// All blocks to member 0, one by one, and from there to all along a binomial tree.
CollectiveRounds gather_and_broadcast_rounds(std::span<const std::int64_t> blocks, int me);
// Every member's message to every other at once.
CollectiveRounds all_at_once(int p, int me, std::int64_t bytes_to_each);

}  // namespace phasewise::contention
