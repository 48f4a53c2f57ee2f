// One rank's part in a collective, as exchanges of rounds or as one call of the library.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/description.hpp"
#include "exchange/collective.hpp"
#include "exchange/exchange.hpp"

namespace phasewise::collectives {

std::string_view phase_of(Operator operation);

// Bytes that rank `from` sends to rank `to` in an all-to-all: alike, or half, once or one and a
// half times as many.
std::int64_t block_bytes(const Description& description, int from, int to);

// The memory of a rank: what it gives, then what it gets; both in the order of the ranks where
// there is a block for each.
struct Memory {
  Memory(const Description& description, int ranks, int rank);

  std::int64_t out(int block) const { return out_[static_cast<std::size_t>(block)]; }
  std::int64_t in(int block) const { return in_[static_cast<std::size_t>(block)]; }
  std::int64_t half = 0;  // bytes of each of both parts

 private:
  std::vector<std::int64_t> out_, in_;  // where blocks begin
};

// What runs one after the other; the first ones add, as some algorithms need it. Empty by the
// library.
exchange::Exchanges exchanges_of(const Description& description, const Manner& manner,
                                 const std::vector<int>& nodes, int rank);
exchange::Collective library_call(const Description& description, const std::vector<int>& nodes,
                                  int rank);

// Where a rank finds the result of block 0, or its own one, in its memory.
std::int64_t result_at(const Description& description, const Manner& manner,
                       const std::vector<int>& nodes, int rank);

}  // namespace phasewise::collectives
