// Runs transposes, either packed into slots of equal size, or by the library without packing.
#include <algorithm>
#include <numeric>

#include "comm/executor.hpp"
#include "parallel/clock.hpp"

namespace phasewise::comm {
namespace {

// Finds the fragments of slot after slot; slot j holds the blocks of member j, grid after grid.
// Without `own` those of this member are left out.
void find_fragments(exchange::Fragments& fragments, const exchange::TransposeExchange& exchange,
                    const std::vector<exchange::Region>& regions, std::int64_t grid_size,
                    bool own) {
  fragments.clear();
  for (std::size_t member = 0; member < regions.size(); ++member)
    for (int grid = 0; grid < exchange.grids; ++grid)
      if (own || static_cast<int>(member) != exchange.team->me)
        append(fragments, regions[member], grid * grid_size,
               static_cast<std::int64_t>(member) * exchange.slot_bytes() +
                   grid * regions[member].bytes());
}

std::int64_t extent(const std::vector<exchange::Region>& regions) {
  std::int64_t end = 0;
  for (const exchange::Region& region : regions) end = std::max(end, region.end());
  return end;
}

exchange::Copy one_piece(std::byte* to, std::byte* from, std::int64_t bytes) {
  return {{to, 0, 0}, {from, 0, 0}, bytes, 1, 1};
}

// Where the messages of a side of a transpose lie: in slots, or in place in the blocks themselves.
class MessagePlaces {
 public:
  MessagePlaces(std::byte* slots, std::int64_t stride) : data_(slots), stride_(stride) {}
  MessagePlaces(std::byte* data, const std::vector<exchange::Region>& blocks)
      : data_(data), blocks_(&blocks) {}
  std::byte* of(int member) const {
    return data_ + (blocks_ != nullptr ? (*blocks_)[member].offset : member * stride_);
  }

 private:
  std::byte* data_;
  std::int64_t stride_ = 0;
  const std::vector<exchange::Region>* blocks_ = nullptr;
};

}  // namespace

void Executor::transpose(const exchange::TransposeExchange& exchange,
                         const exchange::ItemBuffer& from, const exchange::ItemBuffer& to) {
  // Simulated time advances by half of the copies before the messages, and by half after them.
  const double half = simulated() ? 0.5 * static_cast<double>(exchange.copied_traffic()) : 0.0;
  parallel::clock().charge(0.0, half);
  if (exchange.by_library())
    transpose_by_library(exchange, from, to);
  else if (exchange.passes_on())
    transpose_by_bruck(exchange, from, to);
  else
    transpose_straight(exchange, from, to);
  parallel::clock().charge(0.0, half);
}

void Executor::copy_own_block(const exchange::TransposeExchange& exchange,
                              const exchange::ItemBuffer& from, const exchange::ItemBuffer& to) {
  const int me = exchange.team->me;
  copies_.clear();
  for (int grid = 0; grid < exchange.grids; ++grid)
    append_copies(copies_, {from.data + grid * from.item_size, (*exchange.from)[me]},
                  {to.data + grid * to.item_size, (*exchange.to)[me]});
  rooms_of(from).memory().copy(copies_);
}

void Executor::transpose_straight(const exchange::TransposeExchange& exchange,
                                  const exchange::ItemBuffer& from,
                                  const exchange::ItemBuffer& to) {
  const exchange::Team& team = *exchange.team;
  const std::int64_t slot = exchange.slot_bytes(), all = slot * std::ssize(team.ranks);
  const bool contents = from.data != nullptr, packs = contents && !exchange.sent_in_place(),
             unpacks = contents && !exchange.received_in_place();
  MessagePlaces out(from.data, *exchange.from), in(to.data, *exchange.to);
  if (!contents) out = in = MessagePlaces(skeleton_.at_least(slot), 0);
  if (packs) {
    out = MessagePlaces(rooms_of(from).slots_out(all), slot);
    find_fragments(fragments_, exchange, *exchange.from, from.item_size, false);
    pack(fragments_, from, out.of(0));
  }
  if (unpacks) in = MessagePlaces(rooms_of(to).slots_in(all), slot);
  if (contents) {
    copy_own_block(exchange, from, to);
    rooms_of(from).memory().wait();
  }
  {
    const int phase = recorder_.phase(exchange.phase);
    const InPhase in_phase(recorder_, phase);
    for (const exchange::Round& round : *exchange.rounds) {
      std::vector<Message> sends, receives;
      for (const exchange::Transfer& t : round.sends)
        sends.push_back({team.ranks[t.peer], out.of(t.peer), exchange.sent_bytes(t)});
      for (const exchange::Transfer& t : round.receives)
        receives.push_back({team.ranks[t.peer], in.of(t.peer), exchange.received_bytes(t)});
      world_.post(phase, exchange.channel, sends, receives).wait();
    }
  }
  if (!unpacks) return;
  find_fragments(fragments_, exchange, *exchange.to, to.item_size, false);
  unpack(fragments_, to, in.of(0));
}

void Executor::transpose_by_bruck(const exchange::TransposeExchange& exchange,
                                  const exchange::ItemBuffer& from,
                                  const exchange::ItemBuffer& to) {
  exchange::MessageRooms& rooms = rooms_of(from);
  std::byte *out = nullptr, *in = nullptr;
  if (from.data != nullptr) {
    const std::int64_t bytes = exchange.slot_bytes() * std::ssize(exchange.team->ranks);
    out = rooms.slots_out(bytes);
    in = rooms.slots_in(bytes);
    find_fragments(fragments_, exchange, *exchange.from, from.item_size, true);
    pack(fragments_, from, out);
  }
  {
    const InPhase in_phase(recorder_, recorder_.phase(exchange.phase));
    pass_on(exchange, rooms, out, in);
  }
  if (in == nullptr) return;
  find_fragments(fragments_, exchange, *exchange.to, to.item_size, true);
  unpack(fragments_, to, in);
}

// Slot i holds the block for me + i at first, and the block from me - i in the end. Bruck et al.,
// IEEE TPDS 8 (1997) 1143.
void Executor::pass_on(const exchange::TransposeExchange& exchange, exchange::MessageRooms& rooms,
                       std::byte* out, std::byte* in) {
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
  const std::int64_t bytes = exchange.sent_bytes(sent), slot = exchange.slot_bytes();
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
