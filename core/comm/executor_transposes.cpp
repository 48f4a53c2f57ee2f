// Runs transposes: packed into slots of equal size, or by the library without packing.
#include <algorithm>
#include <cstring>

#include "comm/executor.hpp"

namespace phasewise::comm {
namespace {

// Slot j holds the blocks of member j, grid after grid.
void find_fragments(Fragments& fragments, const TransposeExchange& exchange,
                    const std::vector<Region>& regions, std::int64_t grid_size) {
  fragments.clear();
  for (std::size_t member = 0; member < regions.size(); ++member)
    for (int grid = 0; grid < exchange.grids; ++grid)
      append(fragments, regions[member], grid * grid_size,
             static_cast<std::int64_t>(member) * exchange.slot_bytes() + grid * exchange.block);
}

std::int64_t extent(const std::vector<Region>& regions) {
  std::int64_t end = 0;
  for (const Region& region : regions) end = std::max(end, region.end());
  return end;
}

void copy_bytes(std::byte* to, const std::byte* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace

void Executor::transpose(const TransposeExchange& exchange, const ItemBuffer& from,
                         const ItemBuffer& to) {
  if (exchange.by_library()) return transpose_by_library(exchange, from, to);
  std::byte *out = nullptr, *in = nullptr;
  if (from.data != nullptr) {
    const std::int64_t bytes = exchange.slot_bytes() * std::ssize(exchange.team->ranks);
    slots_out_.reserve(bytes);
    slots_in_.reserve(bytes);
    out = slots_out_.data();
    in = slots_in_.data();
    find_fragments(fragments_, exchange, *exchange.from, from.item_size);
    pack(fragments_, from.data, out, threads_);
  }
  {
    const InPhase in_phase(recorder_, recorder_.phase(exchange.phase));
    if (exchange.algorithm == Transpose::bruck)
      transpose_by_bruck(exchange, out, in);
    else
      transpose_straight(exchange, out, in);
  }
  if (in == nullptr) return;
  find_fragments(fragments_, exchange, *exchange.to, to.item_size);
  unpack(fragments_, to.data, in, threads_);
}

void Executor::transpose_straight(const TransposeExchange& exchange, std::byte* out,
                                  std::byte* in) {
  const Team& team = *exchange.team;
  const std::int64_t slot = exchange.slot_bytes(), stride = out != nullptr ? slot : 0;
  if (out != nullptr)
    copy_bytes(in + team.me * slot, out + team.me * slot, slot);
  else
    out = in = skeleton_.at_least(slot);
  const int phase = recorder_.phase(exchange.phase);
  for (const Round& round : *exchange.rounds) {
    std::vector<Message> sends, receives;
    for (const Transfer& t : round.sends)
      sends.push_back({team.ranks[t.peer], out + t.chunks[0] * stride, slot});
    for (const Transfer& t : round.receives)
      receives.push_back({team.ranks[t.peer], in + t.chunks[0] * stride, slot});
    world_.post(phase, exchange.channel, sends, receives).wait();
  }
}

// Slot i holds the block for me + i at first, and the block from me - i at last. Bruck et al., IEEE
// TPDS 8 (1997) 1143.
void Executor::transpose_by_bruck(const TransposeExchange& exchange, std::byte* out,
                                  std::byte* in) {
  const Team& team = *exchange.team;
  const int p = static_cast<int>(team.ranks.size()), me = team.me;
  const std::int64_t slot = exchange.slot_bytes();
  const int phase = recorder_.phase(exchange.phase);
  const bool contents = out != nullptr;
  const auto channel = static_cast<std::size_t>(exchange.channel);
  if (contents)
    for (int i = 0; i < p; ++i) copy_bytes(in + i * slot, out + (me + i) % p * slot, slot);
  for (const Round& round : *exchange.rounds) {
    if (round.sends.empty() && round.receives.empty()) continue;
    const Transfer &sent = round.sends.front(), &received = round.receives.front();
    const std::int64_t bytes = exchange.bytes(sent);
    std::byte *from = nullptr, *to = nullptr;
    if (contents) {
      outgoing_[channel].reserve(bytes);
      incoming_[channel].reserve(bytes);
      from = outgoing_[channel].data();
      to = incoming_[channel].data();
      for (std::size_t i = 0; i < sent.chunks.size(); ++i)
        copy_bytes(from + static_cast<std::int64_t>(i) * slot, in + sent.chunks[i] * slot, slot);
    } else {
      from = to = skeleton_.at_least(bytes);
    }
    const Message send{team.ranks[sent.peer], from, bytes};
    const Message receive{team.ranks[received.peer], to, bytes};
    world_.post(phase, exchange.channel, {&send, 1}, {&receive, 1}).wait();
    if (contents)
      for (std::size_t i = 0; i < received.chunks.size(); ++i)
        copy_bytes(in + received.chunks[i] * slot, to + static_cast<std::int64_t>(i) * slot, slot);
  }
  if (!contents) return;
  copy_bytes(out, in, p * slot);
  for (int i = 0; i < p; ++i) copy_bytes(in + (me - i + p) % p * slot, out + i * slot, slot);
}

void Executor::transpose_by_library(const TransposeExchange& exchange, const ItemBuffer& from,
                                    const ItemBuffer& to) {
  const Communicator& members = among(*exchange.team);
  const int phase = recorder_.phase(exchange.phase);
  const bool contents = from.data != nullptr;
  const std::int64_t size = std::max(extent(*exchange.from), extent(*exchange.to));
  std::byte* memory = contents ? nullptr : skeleton_.at_least(2 * size);
  for (int grid = 0; grid < exchange.grids; ++grid)
    members.transpose(phase, contents ? from.data + grid * from.item_size : memory, *exchange.from,
                      contents ? to.data + grid * to.item_size : memory + size, *exchange.to);
}

}  // namespace phasewise::comm
