// A collective of the library as pure data.
#pragma once

#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/posted_message.hpp"

namespace phasewise::exchange {

enum class CollectiveKind : std::uint8_t {
  barrier,
  broadcast,       // from the root
  sum,             // of doubles; all members get it
  reduce_scatter,  // a sum of doubles; member i gets block i
  all_gather,
  all_to_all,
  reduce,          // a sum of doubles, which the root gets
  gather,          // to the root
  scatter,         // from the root
  scan,            // sums of doubles over the members up to each one
  exclusive_scan,  // over the members before each one; member 0 gets nothing
  // The library has calls of their own for blocks that are all of one size.
  reduce_scatter_equal,
  all_gather_equal,
  all_to_all_equal,
  // The same as gather and scatter, with blocks of different sizes. A member other than the root
  // knows the size of its own block alone; the others are 0.
  gather_blocks,
  scatter_blocks,
};

// Whether a collective adds doubles.
constexpr bool adds(CollectiveKind kind) {
  return kind == CollectiveKind::sum || kind == CollectiveKind::reduce_scatter ||
         kind == CollectiveKind::reduce_scatter_equal || kind == CollectiveKind::reduce ||
         kind == CollectiveKind::scan || kind == CollectiveKind::exclusive_scan;
}
// Whether its result takes the place of what a member gave.
constexpr bool in_place(CollectiveKind kind) {
  return kind == CollectiveKind::barrier || kind == CollectiveKind::broadcast ||
         kind == CollectiveKind::sum;
}

struct Collective {
  std::string_view phase;
  Channel channel = common_channel;
  TeamPointer team;  // null: all ranks
  CollectiveKind kind = CollectiveKind::barrier;
  bool blocking = true;  // done when it has been started
  // Bytes. broadcast, sum, reduce and scans have one number; reduce_scatter and all_gather have the
  // size of each member's block, as have gather and scatter, all of one size; all_to_all has the
  // size of the block for each member here, and that of the block from each member in `receives`.
  // Blocks lie one after the other. A barrier has none.
  std::vector<std::int64_t> sizes{};
  std::vector<std::int64_t> receives{};
  int root = 0;  // a member
  // By which `wait` names it, so that several may be under way in a channel; else there is none.
  int request = blocking_call;
  int tag = 0;  // tells it from the others that are under way; the same on all members

  std::int64_t total_bytes() const {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  }
  // The bytes that member `me` asks the library to move.
  std::int64_t asked_bytes(int me) const {
    switch (kind) {
      case CollectiveKind::broadcast:
        return me == root ? sizes[0] : 0;
      case CollectiveKind::all_gather:
      case CollectiveKind::all_gather_equal:
      case CollectiveKind::gather:
      case CollectiveKind::gather_blocks:
        return sizes[me];
      case CollectiveKind::scatter:
      case CollectiveKind::scatter_blocks:
        return me == root ? total_bytes() - sizes[me] : 0;
      case CollectiveKind::all_to_all:
      case CollectiveKind::all_to_all_equal:
        return total_bytes() - sizes[me];
      default:
        return total_bytes();
    }
  }
};

}  // namespace phasewise::exchange
