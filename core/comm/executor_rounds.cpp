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
    Recorder& recorder = executor_->recorder_;
    const InPhase in(recorder, recorder.phase(exchange.phase), begun_);
    begun_ = true;
    if (exchange.by_library()) {
      if (!wait) return false;
      executor_->run_by_library(work_[current_]);
    } else {
      for (; round_ < exchange.rounds->size(); ++round_) {
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
    round_ = 0;
    begun_ = false;
  }
  return true;
}

bool Executor::Flight::blocks() const {
  const ExchangePointer& exchange = work_[current_].exchange;
  const Kept* kept = executor_->kept(exchange, round_);
  return (kept ? *kept->carrier : executor_->stateless(exchange)).blocks();
}

void Executor::Flight::begin_round() {
  const Work& work = work_[current_];
  const Exchange& exchange = *work.exchange;
  const auto channel = static_cast<std::size_t>(exchange.channel);
  kept_ = executor_->kept(work.exchange, round_);
  if (kept_ == nullptr) {
    own_.layout.from_item = -1;
    own_.carrier = &executor_->stateless(work.exchange);
    kept_ = &own_;
  }
  RoundLayout& layout = kept_->layout;
  layout.make(exchange, (*exchange.rounds)[round_], work.from.item_size, work.to.item_size);

  std::byte *out = nullptr, *in = nullptr;
  if (work.to.data == nullptr) {
    out = in = executor_->skeleton_.at_least(std::max(layout.bytes_in, layout.largest));
  } else {
    executor_->outgoing_[channel].reserve(layout.bytes_out);
    executor_->incoming_[channel].reserve(layout.bytes_in);
    out = executor_->outgoing_[channel].data();
    in = executor_->incoming_[channel].data();
  }
  arrivals_.clear();
  sends_.clear();
  receives_.clear();
  packed_ = 0;
  expect(layout, in);
  staged_ = 0;
  give(layout, out);
  copy(layout, out);
  parallel::clock().charge(0.0, static_cast<double>(packed_traffic(packed_)));
  const int phase = executor_->recorder_.phase(exchange.phase);
  pending_ = kept_->carrier->post({phase, sends_, receives_, work.from, work.to});
  posted_ = true;
}

// Data that are stored in one piece are received in place. Without contents the same data would be,
// so that a skeleton is charged for the same copies.
void Executor::Flight::expect(const RoundLayout& layout, std::byte* staging) {
  const Work& work = work_[current_];
  const Exchange& exchange = *work.exchange;
  const bool contents = work.to.data != nullptr;
  const bool types = staging_of(exchange.protocol) == Staging::types;
  for (std::size_t i = 0; i < layout.receives.size(); ++i) {
    const RoundLayout::Part& part = layout.receives[i];
    const bool in_place = received_in_place(exchange, part.in_one_piece);
    std::byte* target = kept_->carrier->incoming(i);
    if (types) {
      target = contents ? work.to.data : staging;
    } else if (target == nullptr) {
      target = in_place && contents ? work.to.data + layout.begin_of(part) : staging;
      if (contents && !in_place) staging += part.bytes;
    }
    if (!in_place) arrivals_.push_back({target, &part});
    receives_.push_back({part.peer, target, part.bytes});
  }
}

void Executor::Flight::give(const RoundLayout& layout, std::byte* staging) {
  const Work& work = work_[current_];
  const Exchange& exchange = *work.exchange;
  const bool contents = work.to.data != nullptr;
  const bool types = staging_of(exchange.protocol) == Staging::types;
  for (std::size_t i = 0; i < layout.sends.size(); ++i) {
    const RoundLayout::Part& part = layout.sends[i];
    const bool in_place = sent_in_place(exchange, part.in_one_piece);
    std::byte* source = kept_->carrier->outgoing(i);
    if (types) {
      source = contents ? work.from.data : staging;
    } else if (source == nullptr) {
      source = in_place && contents ? work.from.data + layout.begin_of(part) : staging + staged_;
      if (contents && !in_place) staged_ += part.bytes;
    }
    if (!in_place) {
      packed_ += part.bytes;
      if (contents) pack(layout.of(part), work.from.data, source, executor_->threads_);
    }
    sends_.push_back({part.peer, source, part.bytes});
  }
}

// What this rank sends to itself is packed, and unpacked with what arrives.
void Executor::Flight::copy(const RoundLayout& layout, std::byte* staging) {
  const Work& work = work_[current_];
  for (const auto& [from, to] : layout.copies) {
    std::byte* data = staging + staged_;
    packed_ += from.bytes;
    if (work.to.data != nullptr) {
      pack(layout.of(from), work.from.data, data, executor_->threads_);
      staged_ += from.bytes;
    }
    arrivals_.push_back({data, &to});
  }
}

void Executor::Flight::end_round() {
  const Work& work = work_[current_];
  const Exchange& exchange = *work.exchange;
  posted_ = false;
  if (arrivals_.empty()) return;
  std::int64_t arrived = 0;
  for (const Arrival& arrival : arrivals_) arrived += arrival.part->bytes;
  const int phase = executor_->recorder_.phase(exchange.phase);
  executor_->computing(phase, stored_traffic(exchange, arrived), [&] {
    if (work.to.data == nullptr) return;
    for (const auto& [data, part] : arrivals_) {
      const std::span<const Fragment> fragments = kept_->layout.of(*part);
      if (exchange.adds)
        add(fragments, work.to.data, data, executor_->threads_);
      else
        unpack(fragments, work.to.data, data, executor_->threads_);
    }
  });
}

}  // namespace phasewise::comm
