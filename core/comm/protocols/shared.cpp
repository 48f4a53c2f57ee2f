// Loads and stores within a node: data are packed straight into memory of their receiver, and a
// flag beside them says so. Between nodes data are put.
#include <algorithm>
#include <utility>

#include "comm/protocols/carriers.hpp"
#include "comm/protocols/near_memory.hpp"
#include "comm/protocols/signals.hpp"

namespace phasewise::comm {
namespace {

// The part of a round between ranks of a node (`near`), or between nodes.
exchange::ExchangePointer part_of(const RoundPlace& place, bool near) {
  auto part = std::make_shared<exchange::Exchange>(*place.exchange);
  auto rounds = std::make_shared<exchange::Rounds>(1, place.messages());
  for (auto* transfers : {&rounds->front().sends, &rounds->front().receives})
    std::erase_if(*transfers,
                  [&](const exchange::Transfer& t) { return part->team->near(t.peer) != near; });
  part->rounds = std::move(rounds);
  part->protocol = exchange::Protocol::put;
  return part;
}

// Which messages of a round are near, and the number of each among the near ones or among the
// others.
struct Split {
  std::vector<bool> near;
  std::vector<std::size_t> number;

  Split(const exchange::Exchange& exchange, const std::vector<exchange::Transfer>& transfers) {
    std::size_t count[2] = {0, 0};
    for (const exchange::Transfer& t : transfers) {
      if (exchange.message_bytes(t) == 0) continue;
      near.push_back(exchange.team->near(t.peer));
      number.push_back(count[near.back()]++);
    }
  }
  std::vector<Message> far(std::span<const Message> all) const {
    std::vector<Message> found;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!near[i]) found.push_back(all[i]);
    return found;
  }
};

bool any(const Communicator& group, bool here) {
  int flag = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &flag, 1, MPI_INT, MPI_MAX, Inside::comm(group));
  return flag != 0;
}

class Shared : public Carrier {
 public:
  explicit Shared(const RoundPlace& place)
      : Shared(place, {place.group, part_of(place, true), 0},
               {place.group, part_of(place, false), 0}) {}

  bool blocks() const override { return true; }
  bool gives_memory() const override { return true; }

  // The receiver says that it has unpacked the preceding message; a sender that gets nothing back
  // could not learn it otherwise.
  std::byte* incoming(std::size_t i) override {
    if (!receives_.near[i]) return far_->incoming(receives_.number[i]);
    const std::size_t k = receives_.number[i];
    if (!simulated()) raise(memory_.unpacked_here(k), count_, 0.0);
    return memory_.received(k, half());
  }
  std::byte* outgoing(std::size_t i) override {
    if (!sends_.near[i]) return far_->outgoing(sends_.number[i]);
    const std::size_t k = sends_.number[i];
    if (!simulated()) await(memory_.unpacked_there(k), count_ - 1);
    return memory_.sent(k, half());
  }

  Pending post(const RoundMessages& messages) override {
    Pending far;
    const std::vector<Message> out = sends_.far(messages.sends);
    const std::vector<Message> in = receives_.far(messages.receives);
    if (!out.empty() || !in.empty())
      far = far_->post({messages.phase, out, in, messages.from, messages.to});
    exchange_near(messages);
    far.wait();
    ++count_;
    return {};
  }

 private:
  Shared(const RoundPlace& place, const RoundPlace& near, const RoundPlace& far)
      : group_(place.group),
        channel_(place.exchange->channel),
        sends_(*place.exchange, place.messages().sends),
        receives_(*place.exchange, place.messages().receives),
        memory_(near, links_of(near, near.messages().sends),
                links_of(near, near.messages().receives)),
        signals_(near, false) {
    const bool needed = !far.messages().sends.empty() || !far.messages().receives.empty();
    if (any(group_, needed)) far_ = make_put(far);
  }

  int half() const { return static_cast<int>(count_ % 2); }

  void exchange_near(const RoundMessages& messages) {
    Posting posting(group_, messages.phase, channel_, exchange::Overhead::one_sided, true);
    for (std::size_t i = 0; i < messages.receives.size(); ++i)
      if (receives_.near[i]) posting.expect(messages.receives[i]);
    for (std::size_t i = 0; i < messages.sends.size(); ++i)
      if (sends_.near[i]) posting.give(messages.sends[i]);
    if (simulated())
      signal_by_messages(posting);
    else
      signal_by_flags(posting, messages);
    posting.finished();
  }
  // A simulated machine does not see accesses to memory, so that the flags are empty messages
  // there.
  void signal_by_messages(Posting& posting) {
    signals_.exchange(posting, signals_.before());
    signals_.exchange(posting, signals_.after());
  }
  void signal_by_flags(Posting& posting, const RoundMessages& messages) {
    const double time = posting.start() + group_.clock_offset();
    for (std::size_t i = 0; i < messages.sends.size(); ++i)
      if (sends_.near[i]) raise(memory_.departure(sends_.number[i]), count_, time);
    group_.recorder().synchronised(
        messages.phase, std::ssize(signals_.before().to) + std::ssize(signals_.after().to));
    for (std::size_t i = 0; i < messages.receives.size(); ++i)
      if (receives_.near[i])
        posting.begun(await(memory_.arrival(receives_.number[i]), count_) - group_.clock_offset());
  }

  const Communicator& group_;
  exchange::Channel channel_;
  Split sends_, receives_;
  NearMemory memory_;
  SignalChannel signals_;
  CarrierPointer far_;
  std::int64_t count_ = 1;  // number of this round, from 1
};

}  // namespace

CarrierPointer make_shared(const RoundPlace& place) { return std::make_unique<Shared>(place); }

}  // namespace phasewise::comm
