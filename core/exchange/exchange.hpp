// One rank's part in an exchange, as pure data without MPI: a workload's plan lays it out, the
// executor runs it, and the models cost it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "exchange/phase_setting.hpp"
#include "exchange/protocol.hpp"
#include "exchange/region.hpp"
#include "exchange/rounds.hpp"
#include "exchange/team.hpp"

namespace phasewise::exchange {

// Two exchanges that are in flight at once use different channels, numbered from 0. A workload
// names the channels that it needs.
enum class Channel : std::uint8_t {};
inline constexpr int channels = 4;
// The channel of exchanges that end before another one begins.
inline constexpr Channel common_channel{channels - 1};

struct Exchange {
  std::string_view phase;
  Channel channel = common_channel;
  bool adds = false;     // what arrives is added, as doubles; else it is stored
  bool uniform = false;  // all members see messages of the same sizes
  TeamPointer team;      // members, in the order of a library call's blocks
  RoundsPointer rounds;  // null if the library does the exchange
  Protocol protocol = Protocol::irecv_isend;
  LibraryForm form = LibraryForm::scattered;
  std::vector<Items> items;
  std::vector<Block> blocks;  // of each chunk that the rounds name

  bool by_library() const { return rounds == nullptr; }
  std::int64_t bytes(const Transfer& transfer) const {
    std::int64_t all = 0;
    for (const int chunk : transfer.chunks) all += blocks[chunk].bytes();
    return all;
  }
  // The bytes that a transfer moves between ranks: 0 if it is empty, or if this rank is its own
  // peer and only copies.
  std::int64_t message_bytes(const Transfer& transfer) const {
    return transfer.peer == team->me ? 0 : bytes(transfer);
  }
  std::int64_t total_bytes() const {
    std::int64_t all = 0;
    for (const Block& block : blocks) all += block.bytes();
    return all;
  }
  // The bytes that this rank asks the library to move; the library is not called if total_bytes()
  // is 0.
  std::int64_t asked_bytes() const {
    return adds || form == LibraryForm::all_reduced ? total_bytes() : blocks[team->me].bytes();
  }
};
using ExchangePointer = std::shared_ptr<const Exchange>;
using Exchanges = std::vector<ExchangePointer>;
// The same exchange without shared ownership, for a flight that ends before the owner does. It is
// cheaper to copy; the executor accepts it only if the exchange was prepared.
inline ExchangePointer lent(const ExchangePointer& exchange) {
  return {ExchangePointer(), exchange.get()};
}

// Returns the exchange of all of so many items, in each of which these regions are the blocks of
// the chunks.
ExchangePointer of_items(Exchange exchange, const std::vector<Region>& regions, int items);
inline ExchangePointer of_one_item(Exchange exchange, const std::vector<Region>& regions) {
  return of_items(std::move(exchange), regions, 1);
}

// The rounds of a reduce-scatter with the algorithm and schedule of its phase, or, backwards, of an
// all-gather; null if the library does it. nodes: the node of each member.
RoundsPointer rounds_of(const PhaseSetting& setting, int me, std::span<const int> nodes,
                        bool backwards);
// The rounds of a transpose; null if the library does it.
RoundsPointer rounds_of(Transpose algorithm, const Team& team);

struct Work {
  ExchangePointer exchange;
  ItemBuffer from, to;
};
// Exchanges that run one after the other.
using Works = std::vector<Work>;

// An all-to-all of blocks of several grids; the grids are the items of the buffers.
struct TransposeExchange {
  using Regions = std::shared_ptr<const std::vector<Region>>;

  std::string_view phase;
  Channel channel = common_channel;
  TeamPointer team;
  Transpose algorithm = Transpose::pairwise;
  RoundsPointer rounds;      // null for alltoallw
  int grids = 0;             // number sent at once
  std::int64_t block = 0;    // most bytes of one grid from one member to another
  Regions from, to;          // of one grid, for each member: what it gets, what it gives
  bool equal_blocks = true;  // whether all take the size of the largest, as in BeamBeam3D

  bool by_library() const { return rounds == nullptr; }
  // Messages are packed into slots of one size, and Bruck's algorithm passes on whole slots.
  std::int64_t slot_bytes() const { return grids * block; }
  bool passes_on() const { return algorithm == Transpose::bruck; }
  // The bytes that this rank sends, or receives, in a transfer.
  std::int64_t sent_bytes(const Transfer& transfer) const { return bytes(transfer, *from); }
  std::int64_t received_bytes(const Transfer& transfer) const { return bytes(transfer, *to); }
  // Whether every block that goes to another member, or comes from one, is sent or received where
  // it lies: it is one run of bytes, and takes its own size.
  bool sent_in_place() const { return in_place(*from); }
  bool received_in_place() const { return in_place(*to); }
  // The bytes of one grid that the library is asked to send to the other members.
  std::int64_t asked_bytes() const { return of_others(*from); }
  // The memory traffic of this rank's own copies: of its own block, and around messages.
  std::int64_t copied_traffic() const;

 private:
  std::int64_t bytes(const Transfer& transfer, const std::vector<Region>& regions) const {
    if (equal_blocks || passes_on())
      return slot_bytes() * static_cast<std::int64_t>(transfer.chunks.size());
    return grids * regions[transfer.peer].bytes();
  }
  bool in_place(const std::vector<Region>& regions) const;
  std::int64_t of_others(const std::vector<Region>& regions) const;
};

}  // namespace phasewise::exchange
