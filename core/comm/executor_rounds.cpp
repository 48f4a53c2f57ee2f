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
    if (blocks(exchange) && !wait) return false;
    if (exchange.by_library()) {
      executor_->run_by_library(work_[current_]);
    } else {
      for (; round_ < exchange.rounds->size(); ++round_) {
        if (!posted_) begin_round();
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

void Executor::Flight::begin_round() {
  const Work& work = work_[current_];
  const Exchange& exchange = *work.exchange;
  const Round& round = (*exchange.rounds)[round_];
  const auto channel = static_cast<std::size_t>(exchange.channel);

  std::int64_t in = 0, out = 0, largest = 0;
  for (const Transfer& t : round.receives) in += exchange.bytes(t);
  for (const Transfer& t : round.sends) {
    const std::int64_t bytes = exchange.bytes(t);
    out += bytes;
    largest = std::max(largest, bytes);
  }
  std::byte *from = nullptr, *to = nullptr;
  if (work.to.data == nullptr) {
    from = to = executor_->skeleton_.at_least(std::max(in, largest));
  } else {
    executor_->outgoing_[channel].reserve(out);
    executor_->incoming_[channel].reserve(in);
    from = executor_->outgoing_[channel].data();
    to = executor_->incoming_[channel].data();
  }

  std::vector<Message> receives, sends;
  arrivals_.clear();
  arriving_.clear();
  from_me_.clear();
  packed_ = 0;
  for (const Transfer& t : round.receives) expect(t, to, receives);
  for (const Transfer& t : round.sends) give(t, from, sends);
  parallel::clock().charge(0.0, static_cast<double>(packed_traffic(packed_)));
  pending_ = executor_->post(work.exchange, round_, sends, receives);
  posted_ = true;
}

// Data that are stored in one fragment are received in place. Without contents the same data would
// be, so that a skeleton is charged for the same copies.
void Executor::Flight::expect(const Transfer& transfer, std::byte*& staging,
                              std::vector<Message>& receives) {
  const Work& work = work_[current_];
  const Exchange& exchange = *work.exchange;
  const std::int64_t bytes = exchange.bytes(transfer);
  if (bytes == 0) return;
  const bool contents = work.to.data != nullptr, from_me = transfer.peer == exchange.team->me;
  const std::size_t first = arriving_.size();
  append(arriving_, exchange, transfer, work.to.item_size);
  const bool in_place = received_in_place(exchange, transfer, std::span(arriving_).subspan(first));
  std::byte* target = in_place && contents ? work.to.data + arriving_.back().at : staging;
  if (from_me) from_me_.push_back(arrivals_.size());
  if (in_place)
    arriving_.pop_back();
  else
    arrivals_.push_back({target, bytes, first, arriving_.size()});
  if (!from_me) receives.push_back({exchange.team->ranks[transfer.peer], target, bytes});
  if (contents && !in_place && !from_me) staging += bytes;
}

void Executor::Flight::give(const Transfer& transfer, std::byte*& staging,
                            std::vector<Message>& sends) {
  const Work& work = work_[current_];
  const Exchange& exchange = *work.exchange;
  const std::int64_t bytes = exchange.bytes(transfer);
  if (bytes == 0) return;
  const bool contents = work.to.data != nullptr, to_me = transfer.peer == exchange.team->me;
  Fragments& fragments = executor_->fragments_;
  fragments.clear();
  append(fragments, exchange, transfer, work.from.item_size);
  const bool in_place = sent_in_place(exchange, transfer, fragments);
  std::byte* source = in_place && contents ? work.from.data + fragments.front().at : staging;
  if (!in_place) packed_ += bytes;
  if (!in_place && contents) {
    pack(fragments, work.from.data, staging, executor_->threads_);
    staging += bytes;
  }
  if (!to_me) {
    sends.push_back({exchange.team->ranks[transfer.peer], source, bytes});
  } else {
    arrivals_[from_me_.front()].data = source;
    from_me_.erase(from_me_.begin());
  }
}

void Executor::Flight::end_round() {
  const Work& work = work_[current_];
  const Exchange& exchange = *work.exchange;
  posted_ = false;
  std::int64_t arrived = 0;
  for (const Arrival& arrival : arrivals_) arrived += arrival.bytes;
  if (arrived == 0) return;
  const int phase = executor_->recorder_.phase(exchange.phase);
  executor_->computing(phase, stored_traffic(exchange, arrived), [&] {
    if (work.to.data == nullptr) return;
    for (const auto& [data, bytes, first, last] : arrivals_) {
      const std::span<const Fragment> fragments = std::span(arriving_).subspan(first, last - first);
      if (exchange.adds)
        add(fragments, work.to.data, data, executor_->threads_);
      else
        unpack(fragments, work.to.data, data, executor_->threads_);
    }
  });
}

Pending Executor::post(const ExchangePointer& exchange, std::size_t round,
                       std::span<const Message> sends, std::span<const Message> receives) {
  if (exchange->variant == Variant::persistent)
    return start_persistent(exchange, round, sends, receives);
  const int phase = recorder_.phase(exchange->phase);
  std::size_t done = 0;
  if (exchange->variant == Variant::sendrecv)
    for (; done < std::min(sends.size(), receives.size()); ++done)
      world_.send_receive(phase, exchange->channel, sends[done], receives[done]);
  return world_.post(phase, exchange->channel, sends.subspan(done), receives.subspan(done));
}

// Makes new requests if the messages' memory has moved.
Pending Executor::start_persistent(const ExchangePointer& exchange, std::size_t round,
                                   std::span<const Message> sends,
                                   std::span<const Message> receives) {
  const auto key = std::pair(exchange.get(), round);
  auto found = persistent_.find(key);
  if (found == persistent_.end() || !found->second.messages.are(sends, receives))
    found = persistent_
                .insert_or_assign(
                    key, Persistent{exchange, {world_, exchange->channel, sends, receives}})
                .first;
  return found->second.messages.start(recorder_.phase(exchange->phase));
}

}  // namespace phasewise::comm
