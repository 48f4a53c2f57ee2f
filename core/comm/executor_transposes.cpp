// Runs transposes, either packed into slots of equal size, or by the library without packing.
#include <algorithm>
#include <numeric>

#include "comm/executor.hpp"

namespace phasewise::comm {
namespace {

// Finds the fragments of slot after slot; slot j holds the blocks of member j, grid after grid.
void find_fragments(exchange::Fragments& fragments, const exchange::TransposeExchange& exchange,
                    const std::vector<exchange::Region>& regions, std::int64_t grid_size) {
  fragments.clear();
  for (std::size_t member = 0; member < regions.size(); ++member)
    for (int grid = 0; grid < exchange.grids; ++grid)
      append(fragments, regions[member], grid * grid_size,
             static_cast<std::int64_t>(member) * exchange.slot_bytes() + grid * exchange.block);
}

std::int64_t extent(const std::vector<exchange::Region>& regions) {
  std::int64_t end = 0;
  for (const exchange::Region& region : regions) end = std::max(end, region.end());
  return end;
}

exchange::Copy one_piece(std::byte* to, std::byte* from, std::int64_t bytes) {
  return {{to, 0, 0}, {from, 0, 0}, bytes, 1, 1};
}

}  // namespace

void Executor::transpose(const exchange::TransposeExchange& exchange,
                         const exchange::ItemBuffer& from, const exchange::ItemBuffer& to) {
  if (exchange.by_library()) return transpose_by_library(exchange, from, to);
  exchange::MessageRooms& rooms = rooms_of(from);
  std::byte *out = nullptr, *in = nullptr;
  if (from.data != nullptr) {
    const std::int64_t bytes = exchange.slot_bytes() * std::ssize(exchange.team->ranks);
    out = rooms.slots_out(bytes);
    in = rooms.slots_in(bytes);
    find_fragments(fragments_, exchange, *exchange.from, from.item_size);
    pack(fragments_, from, out);
  }
  {
    const InPhase in_phase(recorder_, recorder_.phase(exchange.phase));
    if (exchange.algorithm == exchange::Transpose::bruck)
      transpose_by_bruck(exchange, rooms, out, in);
    else
      transpose_straight(exchange, rooms.memory(), out, in);
  }
  if (in == nullptr) return;
  find_fragments(fragments_, exchange, *exchange.to, to.item_size);
  unpack(fragments_, to, in);
}

void Executor::transpose_straight(const exchange::TransposeExchange& exchange,
                                  exchange::Memory& memory, std::byte* out, std::byte* in) {
  const exchange::Team& team = *exchange.team;
  const std::int64_t slot = exchange.slot_bytes(), stride = out != nullptr ? slot : 0;
  if (out != nullptr) {
    const exchange::Copy mine = one_piece(in + team.me * slot, out + team.me * slot, slot);
    memory.copy({&mine, 1});
    memory.wait();
  } else {
    out = in = skeleton_.at_least(slot);
  }
  const int phase = recorder_.phase(exchange.phase);
  for (const exchange::Round& round : *exchange.rounds) {
    std::vector<Message> sends, receives;
    for (const exchange::Transfer& t : round.sends)
      sends.push_back({team.ranks[t.peer], out + t.chunks[0] * stride, slot});
    for (const exchange::Transfer& t : round.receives)
      receives.push_back({team.ranks[t.peer], in + t.chunks[0] * stride, slot});
    world_.post(phase, exchange.channel, sends, receives).wait();
  }
}

// Slot i holds the block for me + i at first, and the block from me - i in the end. Bruck et al.,
// IEEE TPDS 8 (1997) 1143.
void Executor::transpose_by_bruck(const exchange::TransposeExchange& exchange,
                                  exchange::MessageRooms& rooms, std::byte* out, std::byte* in) {
  const int p = static_cast<int>(exchange.team->ranks.size()), me = exchange.team->me;
  const std::int64_t slot = exchange.slot_bytes();
  std::vector<int> each(p), ahead(p), behind(p);
  for (int i = 0; i < p; ++i) {
    each[i] = i;
    ahead[i] = (me + i) % p;
    behind[i] = (me - i + p) % p;
  }
  if (out != nullptr) copy_slots(rooms.memory(), slot, {in, each}, {out, ahead});
  for (const exchange::Round& round : *exchange.rounds)
    if (!round.sends.empty() || !round.receives.empty()) bruck_round(exchange, round, rooms, in);
  if (out == nullptr) return;
  copy_slots(rooms.memory(), slot, {out, each}, {in, each});
  copy_slots(rooms.memory(), slot, {in, behind}, {out, each});
}

void Executor::bruck_round(const exchange::TransposeExchange& exchange,
                           const exchange::Round& round, exchange::MessageRooms& rooms,
                           std::byte* slots) {
  const exchange::Transfer &sent = round.sends.front(), &received = round.receives.front();
  const std::int64_t bytes = exchange.bytes(sent), slot = exchange.slot_bytes();
  std::vector<int> each(sent.chunks.size());
  std::iota(each.begin(), each.end(), 0);
  const bool contents = slots != nullptr;
  std::byte *from = nullptr, *to = nullptr;
  if (contents) {
    from = rooms.outgoing(exchange.channel, bytes);
    to = rooms.incoming(exchange.channel, bytes);
    copy_slots(rooms.memory(), slot, {from, each}, {slots, sent.chunks});
    rooms.memory().wait();
  } else {
    from = to = skeleton_.at_least(bytes);
  }
  const Message send{exchange.team->ranks[sent.peer], from, bytes};
  const Message receive{exchange.team->ranks[received.peer], to, bytes};
  world_.post(recorder_.phase(exchange.phase), exchange.channel, {&send, 1}, {&receive, 1}).wait();
  if (contents) copy_slots(rooms.memory(), slot, {slots, received.chunks}, {to, each});
}

void Executor::copy_slots(exchange::Memory& memory, std::int64_t slot, const Slots& to,
                          const Slots& from) {
  copies_.clear();
  for (std::size_t i = 0; i < to.numbers.size(); ++i)
    copies_.push_back(
        one_piece(to.data + to.numbers[i] * slot, from.data + from.numbers[i] * slot, slot));
  memory.copy(copies_);
}

void Executor::transpose_by_library(const exchange::TransposeExchange& exchange,
                                    const exchange::ItemBuffer& from,
                                    const exchange::ItemBuffer& to) {
  const Communicator& members = among(*exchange.team);
  const int phase = recorder_.phase(exchange.phase);
  const bool contents = from.data != nullptr;
  const std::int64_t size = std::max(extent(*exchange.from), extent(*exchange.to));
  std::byte* memory = contents ? nullptr : skeleton_.at_least(2 * size);
  if (contents) rooms_of(from).memory().wait();
  for (int grid = 0; grid < exchange.grids; ++grid)
    members.transpose(phase, contents ? from.data + grid * from.item_size : memory, *exchange.from,
                      contents ? to.data + grid * to.item_size : memory + size, *exchange.to);
}

}  // namespace phasewise::comm
