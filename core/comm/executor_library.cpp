// Runs exchanges by the library's collectives.
#include <numeric>

#include "comm/executor.hpp"

namespace phasewise::comm {
namespace {

Fragments fragments_of(std::span<const Block> blocks, std::int64_t item_size) {
  Fragments fragments;
  std::int64_t end = 0;
  for (const Block& block : blocks) end = append(fragments, block, item_size, end);
  return fragments;
}

std::span<double> doubles(std::span<std::byte> bytes) {
  return {reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double)};
}

}  // namespace

// One message holds all blocks in the order of the team; this rank owns the block of its number.
void Executor::run_by_library(const Work& work) {
  const Exchange& exchange = *work.exchange;
  const Communicator& members = among(*exchange.team);
  const int me = exchange.team->me;
  std::vector<std::int64_t> sizes;
  sizes.reserve(exchange.blocks.size());
  for (const Block& block : exchange.blocks) sizes.push_back(block.bytes());
  const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (all == 0) return;
  const std::int64_t before = std::accumulate(sizes.begin(), sizes.begin() + me, std::int64_t{0});

  const bool contents = work.to.data != nullptr;
  MessageRooms& rooms = rooms_of(work.to);
  std::byte* message = contents ? rooms.outgoing(exchange.channel, all) : skeleton_.at_least(all);
  const std::span<std::byte> bytes(message, static_cast<std::size_t>(all));
  const std::span<const Block> everything(exchange.blocks);
  const std::span<const Block> mine = everything.subspan(static_cast<std::size_t>(me), 1);
  const auto fill = [&](std::span<const Block> blocks, std::byte* at) {
    if (contents) pack(fragments_of(blocks, work.from.item_size), work.from, at);
  };
  const auto store = [&](std::span<const Block> blocks, std::byte* at) {
    if (contents) unpack(fragments_of(blocks, work.to.item_size), work.to, at);
  };
  const bool all_reduced = exchange.form == LibraryForm::all_reduced;
  if (contents && all_reduced && !exchange.adds) rooms.memory().zero(message, all);
  if (exchange.adds)
    fill(everything, message);
  else
    fill(mine, message + before);
  rooms.memory().wait();

  if (all_reduced) {
    members.sum(exchange.phase, doubles(bytes));
    if (exchange.adds)
      store(mine, message + before);
    else
      store(everything, message);
  } else if (exchange.adds) {
    members.reduce_scatter(exchange.phase, doubles(bytes), sizes);
    store(mine, message);
  } else {
    if (exchange.form == LibraryForm::gathered)
      members.gather_and_broadcast(exchange.phase, bytes, sizes);
    else
      members.all_gather(exchange.phase, bytes, sizes);
    store(everything, message);
  }
}

}  // namespace phasewise::comm
