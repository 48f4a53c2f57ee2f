// One rank's part in a collective, as exchanges made of rounds or as one call of the library.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/description.hpp"
#include "exchange/collective.hpp"
#include "exchange/exchange.hpp"

namespace phasewise::collectives {

std::string_view phase_of(Operator operation);

// The bytes that rank `from` sends to rank `to`: description.bytes, but half of them, all, or one
// and a half times as many in an alltoallv.
std::int64_t block_bytes(const Description& description, int from, int to);

// The memory of a rank: what it gives, followed by what it gets. Where there is a block for each
// rank, both are in the order of the ranks.
struct Memory {
  Memory(const Description& description, int ranks, int rank);

  std::int64_t out(int block) const { return out_[static_cast<std::size_t>(block)]; }
  std::int64_t in(int block) const { return in_[static_cast<std::size_t>(block)]; }
  std::int64_t half = 0;  // bytes of either part

 private:
  std::vector<std::int64_t> out_, in_;  // where blocks begin
};

// The exchanges, which run one after the other; in an allreduce the first may add and the second
// store. Empty if the library does it, and for `sum`.
exchange::Exchanges exchanges_of(const Description& description, const Manner& manner,
                                 const std::vector<int>& nodes, int rank);
exchange::Collective library_call(const Description& description, const std::vector<int>& nodes,
                                  int rank);

// The byte of a rank's memory at which the result begins: its block 0, or the rank's only block.
std::int64_t result_at(const Description& description, const Manner& manner,
                       const std::vector<int>& nodes, int rank);

}  // namespace phasewise::collectives
