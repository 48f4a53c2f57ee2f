// One exchange as one rank takes part in it: what the plan lays out, the executor runs, and the
// models cost. Pure data, no MPI.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "comm/phase_setting.hpp"
#include "comm/rounds.hpp"
#include "comm/team.hpp"

namespace phasewise::comm {

// Two exchanges in flight at once are on different channels.
enum class Channel : std::uint8_t { transpose, reduce, broadcast, other };
inline constexpr int channels = 4;

// Numbers of a buffer's items, which are all of one size.
using Items = std::shared_ptr<const std::vector<int>>;

// The same range of values of some items, which the exchange keeps.
struct Block {
  const std::vector<int>* items = nullptr;
  std::int64_t first = 0, count = 0;  // doubles within each item

  std::int64_t values() const { return static_cast<std::int64_t>(items->size()) * count; }
};

struct Exchange {
  std::string_view phase;
  Channel channel = Channel::other;
  bool adds = false;                     // what arrives is added; else it is stored
  TeamPointer team;                      // of a library call the blocks are in its order
  std::shared_ptr<const Rounds> rounds;  // null where the library does it
  std::vector<Items> items;
  std::vector<Block> blocks;  // of each chunk that the rounds name
  LibraryForm form = LibraryForm::scattered;

  bool by_library() const { return rounds == nullptr; }
  // Bytes of one message of the rounds.
  std::int64_t bytes(const Transfer& transfer) const {
    std::int64_t values = 0;
    for (const int chunk : transfer.chunks) values += blocks[chunk].values();
    return 8 * values;
  }
  std::int64_t total_bytes() const {
    std::int64_t all = 0;
    for (const Block& block : blocks) all += 8 * block.values();
    return all;
  }
  // What the library is asked to move for this rank [B]; where there is nothing in all it is not
  // called.
  std::int64_t asked_bytes() const {
    return adds || form == LibraryForm::all_reduced ? total_bytes() : 8 * blocks[team->me].values();
  }
};

// An all-to-all of equal blocks among a column.
struct TransposeExchange {
  std::string_view phase;
  TeamPointer team;
  Transpose algorithm = Transpose::pairwise;
  std::shared_ptr<const Rounds> rounds;  // null for alltoallw
  int items = 0;                         // grids at once
  std::int64_t block = 0;                // complex values of one grid from one process to another

  bool by_library() const { return rounds == nullptr; }
  std::int64_t slot_bytes() const { return 16 * items * block; }
  std::int64_t bytes(const Transfer& transfer) const {
    return slot_bytes() * static_cast<std::int64_t>(transfer.chunks.size());
  }
};

}  // namespace phasewise::comm
