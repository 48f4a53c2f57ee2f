// Which data of an exchange are sent or received where they lie, without a copy.
#pragma once

#include <cstdint>
#include <span>

#include "exchange/exchange.hpp"
#include "exchange/packing.hpp"

namespace phasewise::exchange {

// Appends the fragments of a transfer's data in a buffer whose items have this size [B].
inline void append(Fragments& fragments, const Exchange& exchange, const Transfer& transfer,
                   std::int64_t item_size) {
  std::int64_t end = 0;
  for (const int chunk : transfer.chunks)
    end = append(fragments, exchange.blocks[chunk], item_size, end);
}

inline bool in_one_piece(std::span<const Fragment> fragments) {
  return fragments.size() == 1 && fragments.front().contiguous();
}

// Whether data are sent, or received, where they lie, without a copy of ours.
inline bool sent_in_place(const Exchange& exchange, bool in_one_piece) {
  switch (staging_of(exchange.protocol)) {
    case Staging::types:
      return true;
    case Staging::exposed:
    case Staging::stored:
      return false;
    default:
      return in_one_piece;
  }
}
inline bool received_in_place(const Exchange& exchange, bool in_one_piece) {
  switch (staging_of(exchange.protocol)) {
    case Staging::types:
      return true;
    case Staging::window:
    case Staging::stored:
      return false;
    default:
      return !exchange.adds && in_one_piece;
  }
}

// The memory traffic [B] of copies: packed data are read and written; data that arrived are read
// and stored, or read, added and stored.
inline std::int64_t packed_traffic(std::int64_t bytes) { return 2 * bytes; }
inline std::int64_t stored_traffic(const Exchange& exchange, std::int64_t bytes) {
  return (exchange.adds ? 3 : 2) * bytes;
}

}  // namespace phasewise::exchange
