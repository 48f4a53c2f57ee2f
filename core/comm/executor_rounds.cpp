// Runs exchanges by rounds of messages, or by the library's collectives.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "comm/executor.hpp"
#include "exchange/in_place.hpp"

namespace phasewise::comm {

bool Executor::Flight::progress() { return advance(false); }

void Executor::Flight::finish() { advance(true); }

// Goes through the rounds. Unless it may wait, it returns at the first round that is not done.
bool Executor::Flight::advance(bool wait) {
  while (current_ < works_.size()) {
    const exchange::Exchange& exchange = *works_[current_].exchange;
    if (!begun_) begin_exchange();
    Recorder& recorder = executor_->recorder_;
    const Recorder::Entered entered = recorder.enter(phase_, begun_);
    begun_ = true;
    const bool done = exchange.by_library() ? run_by_library(wait) : run_rounds(wait);
    recorder.leave(entered);
    if (!done) return false;
    ++current_;
    number_ = 0;
    begun_ = false;
  }
  return true;
}

bool Executor::Flight::run_by_library(bool wait) {
  if (wait) executor_->run_by_library(works_[current_]);
  return wait;
}

bool Executor::Flight::run_rounds(bool wait) {
  for (const std::size_t rounds = works_[current_].exchange->rounds->size(); number_ < rounds;
       ++number_) {
    if (!posted_) {
      if (!wait && blocks()) return false;
      begin_round();
    }
    if (wait)
      pending_.wait();
    else if (!pending_.test())
      return false;
    end_round();
  }
  return true;
}

void Executor::Flight::begin_exchange() {
  const exchange::ExchangePointer& exchange = works_[current_].exchange;
  if (works_[current_].to.on_device && !exchange->by_library() &&
      !takes_device_memory(exchange->protocol))
    throw std::logic_error("communication protocol \"" + std::string(name_of(exchange->protocol)) +
                           "\" cannot take messages from a device's memory");
  Recorder& recorder = executor_->recorder_;
  kept_ = exchange->by_library() ? nullptr : executor_->kept(exchange);
  phase_ = kept_ ? recorder.phase(exchange->phase, kept_->phase) : recorder.phase(exchange->phase);
}

bool Executor::Flight::blocks() const {
  return (kept_ ? *kept_->rounds[number_]->carrier
                : executor_->stateless(works_[current_].exchange))
      .blocks();
}

Executor::OneRound& Executor::Flight::next_round() {
  if (kept_) return *kept_->rounds[number_];
  if (own_ == nullptr) own_ = std::make_unique<OneRound>();
  own_->layout.from_item = -1;
  own_->carrier = &executor_->stateless(works_[current_].exchange);
  return *own_;
}

Executor::Places Executor::Flight::places_of(const exchange::RoundLayout& layout) const {
  const exchange::Work& work = works_[current_];
  if (work.to.data == nullptr) {
    std::byte* any = executor_->skeleton_.at_least(std::max(layout.bytes_in, layout.largest));
    return {nullptr, nullptr, any, any};
  }
  const exchange::Channel channel = work.exchange->channel;
  return {work.from.data, work.to.data, rooms().outgoing(channel, layout.bytes_out),
          rooms().incoming(channel, layout.bytes_in)};
}

void Executor::Flight::begin_round() {
  const exchange::Work& work = works_[current_];
  const exchange::Exchange& exchange = *work.exchange;
  round_ = &next_round();
  OneRound& round = *round_;
  if (round.layout.make(exchange, (*exchange.rounds)[number_], work.from.item_size,
                        work.to.item_size))
    round.found = false;
  const Places places = places_of(round.layout);
  if (!round.found || round.places != places) find(round, places);
  charge_round();
  // After this, what is sent is packed, and nothing reads the memory that arriving data overwrite.
  rooms().memory().copy(round.packs);
  rooms().memory().wait();
  parallel::clock().charge(0.0, static_cast<double>(exchange::packed_traffic(round.packed)));
  pending_ = round.carrier->post({phase_, round.sends, round.receives, work.from, work.to});
  posted_ = true;
}

void Executor::Flight::find(OneRound& round, const Places& places) const {
  round.places = places;
  round.sends.clear();
  round.receives.clear();
  round.packs.clear();
  round.unpacks.clear();
  round.added.clear();
  round.packed = round.stored = 0;
  expect(round);
  give(round);
  round.found = !round.carrier->gives_memory();
}

// Data that are stored in one piece are received in place. The choice is the same without contents,
// so that a skeleton is charged for the same copies.
void Executor::Flight::expect(OneRound& round) const {
  const exchange::Exchange& exchange = *works_[current_].exchange;
  const bool types = staging_of(exchange.protocol) == exchange::Staging::types;
  const bool contents = round.places.to != nullptr;
  std::byte* staging = round.places.in;
  for (std::size_t i = 0; i < round.layout.receives.size(); ++i) {
    const exchange::RoundLayout::Part& part = round.layout.receives[i];
    const bool in_place = received_in_place(exchange, part.in_one_piece);
    std::byte* target = round.carrier->incoming(i);
    if (types) {
      target = contents ? round.places.to : staging;
    } else if (target == nullptr) {
      target = in_place && contents ? round.places.to + round.layout.begin_of(part) : staging;
      if (contents && !in_place) staging += part.bytes;
    }
    if (!in_place) store(round, target, part);
    round.receives.push_back({part.peer, target, part.bytes});
  }
}

// Data that this rank sends to itself are packed, and unpacked with the data that arrive.
void Executor::Flight::give(OneRound& round) const {
  const exchange::Exchange& exchange = *works_[current_].exchange;
  const bool types = staging_of(exchange.protocol) == exchange::Staging::types;
  const bool contents = round.places.to != nullptr;
  std::byte* staging = round.places.out;
  for (std::size_t i = 0; i < round.layout.sends.size(); ++i) {
    const exchange::RoundLayout::Part& part = round.layout.sends[i];
    const bool in_place = sent_in_place(exchange, part.in_one_piece);
    std::byte* source = round.carrier->outgoing(i);
    if (types) {
      source = contents ? round.places.from : staging;
    } else if (source == nullptr) {
      source = in_place && contents ? round.places.from + round.layout.begin_of(part) : staging;
      if (contents && !in_place) staging += part.bytes;
    }
    if (!in_place) pack(round, source, part);
    round.sends.push_back({part.peer, source, part.bytes});
  }
  for (const auto& [from, to] : round.layout.to_self) {
    pack(round, staging, from);
    store(round, staging, to);
    if (contents) staging += from.bytes;
  }
}

void Executor::Flight::pack(OneRound& round, std::byte* data,
                            const exchange::RoundLayout::Part& part) {
  round.packed += part.bytes;
  if (round.places.from != nullptr)
    append_packing(round.packs, round.layout.of(part), round.places.from, data);
}

void Executor::Flight::store(OneRound& round, std::byte* data,
                             const exchange::RoundLayout::Part& part) const {
  round.stored += part.bytes;
  if (round.places.to == nullptr) return;
  if (works_[current_].exchange->adds)
    round.added.push_back({data, &part});
  else
    append_unpacking(round.unpacks, round.layout.of(part), round.places.to, data);
}

void Executor::Flight::end_round() {
  const OneRound& round = *round_;
  posted_ = false;
  if (round.stored == 0) return;
  const std::int64_t traffic = stored_traffic(*works_[current_].exchange, round.stored);
  executor_->computing(phase_, traffic, [&] {
    exchange::Memory& memory = rooms().memory();
    memory.copy(round.unpacks);
    for (const auto& [data, part] : round.added) {
      executor_->copies_.clear();
      append_unpacking(executor_->copies_, round.layout.of(*part), round.places.to, data);
      memory.add(executor_->copies_);
    }
  });
}

namespace {

exchange::Fragments fragments_of(std::span<const exchange::Block> blocks, std::int64_t item_size) {
  exchange::Fragments fragments;
  std::int64_t end = 0;
  for (const exchange::Block& block : blocks) end = append(fragments, block, item_size, end);
  return fragments;
}

std::span<double> doubles(std::span<std::byte> bytes) {
  return {reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double)};
}

}  // namespace

// One message holds all blocks in the order of the team; this rank owns the block of its number.
void Executor::run_by_library(const exchange::Work& work) {
  const exchange::Exchange& exchange = *work.exchange;
  const Communicator& members = among(*exchange.team);
  const int me = exchange.team->me;
  std::vector<std::int64_t> sizes;
  sizes.reserve(exchange.blocks.size());
  for (const exchange::Block& block : exchange.blocks) sizes.push_back(block.bytes());
  const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (all == 0) return;
  const std::int64_t before = std::accumulate(sizes.begin(), sizes.begin() + me, std::int64_t{0});

  const bool contents = work.to.data != nullptr;
  exchange::MessageRooms& rooms = rooms_of(work.to);
  std::byte* message = contents ? rooms.outgoing(exchange.channel, all) : skeleton_.at_least(all);
  const std::span<std::byte> bytes(message, static_cast<std::size_t>(all));
  const std::span<const exchange::Block> everything(exchange.blocks);
  const std::span<const exchange::Block> mine = everything.subspan(static_cast<std::size_t>(me), 1);
  const auto fill = [&](std::span<const exchange::Block> blocks, std::byte* at) {
    if (contents) pack(fragments_of(blocks, work.from.item_size), work.from, at);
  };
  const auto store = [&](std::span<const exchange::Block> blocks, std::byte* at) {
    if (contents) unpack(fragments_of(blocks, work.to.item_size), work.to, at);
  };
  const bool all_reduced = exchange.form == exchange::LibraryForm::all_reduced;
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
    if (exchange.form == exchange::LibraryForm::gathered)
      members.gather_and_broadcast(exchange.phase, bytes, sizes);
    else
      members.all_gather(exchange.phase, bytes, sizes);
    store(everything, message);
  }
}

}  // namespace phasewise::comm
