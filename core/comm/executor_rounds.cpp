// Runs exchanges by rounds of messages.
#include <algorithm>

#include "comm/executor.hpp"
#include "comm/in_place.hpp"

namespace phasewise::comm {

Executor::Flight::Flight(Executor& executor, std::vector<Work> work)
    : executor_(&executor), work_(std::move(work)) {}

bool Executor::Flight::progress() { return advance(false); }

void Executor::Flight::finish() { advance(true); }

// Goes through the rounds; unless it may wait, it returns at the first one that is not done.
bool Executor::Flight::advance(bool wait) {
  while (current_ < work_.size()) {
    const Exchange& exchange = *work_[current_].exchange;
    if (!begun_) begin_exchange();
    const InPhase in(executor_->recorder_, phase_, begun_);
    begun_ = true;
    if (exchange.by_library()) {
      if (!wait) return false;
      executor_->run_by_library(work_[current_]);
    } else {
      for (; number_ < exchange.rounds->size(); ++number_) {
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
    }
    ++current_;
    number_ = 0;
    begun_ = false;
  }
  return true;
}

void Executor::Flight::begin_exchange() {
  const ExchangePointer& exchange = work_[current_].exchange;
  Recorder& recorder = executor_->recorder_;
  kept_ = exchange->by_library() ? nullptr : executor_->kept(exchange);
  phase_ = kept_ ? recorder.phase(exchange->phase, kept_->phase) : recorder.phase(exchange->phase);
}

bool Executor::Flight::blocks() const {
  return (kept_ ? *kept_->rounds[number_]->carrier : executor_->stateless(work_[current_].exchange))
      .blocks();
}

void Executor::Flight::begin_round() {
  const Work& work = work_[current_];
  const Exchange& exchange = *work.exchange;
  const auto channel = static_cast<std::size_t>(exchange.channel);
  if (kept_) {
    round_ = kept_->rounds[number_];
  } else {
    if (own_ == nullptr) own_ = std::make_unique<OneRound>();
    own_->layout.from_item = -1;
    own_->carrier = &executor_->stateless(work.exchange);
    round_ = own_.get();
  }
  RoundLayout& layout = round_->layout;
  layout.make(exchange, (*exchange.rounds)[number_], work.from.item_size, work.to.item_size);

  std::byte *out = nullptr, *in = nullptr;
  if (work.to.data == nullptr) {
    out = in = executor_->skeleton_.at_least(std::max(layout.bytes_in, layout.largest));
  } else {
    executor_->outgoing_[channel].reserve(layout.bytes_out);
    executor_->incoming_[channel].reserve(layout.bytes_in);
    out = executor_->outgoing_[channel].data();
    in = executor_->incoming_[channel].data();
  }
  round_->arrivals.clear();
  round_->sends.clear();
  round_->receives.clear();
  packed_ = 0;
  expect(*round_, in);
  staged_ = 0;
  give(*round_, out);
  copy(*round_, out);
  parallel::clock().charge(0.0, static_cast<double>(packed_traffic(packed_)));
  pending_ = round_->carrier->post({phase_, round_->sends, round_->receives, work.from, work.to});
  posted_ = true;
}

// Data that are stored in one piece are received in place. Without contents the same data would be,
// so that a skeleton is charged for the same copies.
void Executor::Flight::expect(OneRound& round, std::byte* staging) {
  const Work& work = work_[current_];
  const Exchange& exchange = *work.exchange;
  const bool contents = work.to.data != nullptr;
  const bool types = staging_of(exchange.protocol) == Staging::types;
  for (std::size_t i = 0; i < round.layout.receives.size(); ++i) {
    const RoundLayout::Part& part = round.layout.receives[i];
    const bool in_place = received_in_place(exchange, part.in_one_piece);
    std::byte* target = round.carrier->incoming(i);
    if (types) {
      target = contents ? work.to.data : staging;
    } else if (target == nullptr) {
      target = in_place && contents ? work.to.data + round.layout.begin_of(part) : staging;
      if (contents && !in_place) staging += part.bytes;
    }
    if (!in_place) round.arrivals.push_back({target, &part});
    round.receives.push_back({part.peer, target, part.bytes});
  }
}

void Executor::Flight::give(OneRound& round, std::byte* staging) {
  const Work& work = work_[current_];
  const Exchange& exchange = *work.exchange;
  const bool contents = work.to.data != nullptr;
  const bool types = staging_of(exchange.protocol) == Staging::types;
  for (std::size_t i = 0; i < round.layout.sends.size(); ++i) {
    const RoundLayout::Part& part = round.layout.sends[i];
    const bool in_place = sent_in_place(exchange, part.in_one_piece);
    std::byte* source = round.carrier->outgoing(i);
    if (types) {
      source = contents ? work.from.data : staging;
    } else if (source == nullptr) {
      source =
          in_place && contents ? work.from.data + round.layout.begin_of(part) : staging + staged_;
      if (contents && !in_place) staged_ += part.bytes;
    }
    if (!in_place) {
      packed_ += part.bytes;
      if (contents) pack(round.layout.of(part), work.from.data, source, executor_->threads_);
    }
    round.sends.push_back({part.peer, source, part.bytes});
  }
}

// What this rank sends to itself is packed, and unpacked with what arrives.
void Executor::Flight::copy(OneRound& round, std::byte* staging) {
  const Work& work = work_[current_];
  for (const auto& [from, to] : round.layout.copies) {
    std::byte* data = staging + staged_;
    packed_ += from.bytes;
    if (work.to.data != nullptr) {
      pack(round.layout.of(from), work.from.data, data, executor_->threads_);
      staged_ += from.bytes;
    }
    round.arrivals.push_back({data, &to});
  }
}

void Executor::Flight::end_round() {
  const Work& work = work_[current_];
  const Exchange& exchange = *work.exchange;
  posted_ = false;
  if (round_->arrivals.empty()) return;
  std::int64_t arrived = 0;
  for (const Arrival& arrival : round_->arrivals) arrived += arrival.part->bytes;
  executor_->computing(phase_, stored_traffic(exchange, arrived), [&] {
    if (work.to.data == nullptr) return;
    for (const auto& [data, part] : round_->arrivals) {
      const std::span<const Fragment> fragments = round_->layout.of(*part);
      if (exchange.adds)
        add(fragments, work.to.data, data, executor_->threads_);
      else
        unpack(fragments, work.to.data, data, executor_->threads_);
    }
  });
}

}  // namespace phasewise::comm
