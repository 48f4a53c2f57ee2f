// One-sided: put, flush, and an empty message as flag, whose tag carries the sender's time.
#include "comm/protocols/carriers.hpp"
#include "comm/protocols/signals.hpp"
#include "comm/protocols/waiting_ends.hpp"
#include "comm/protocols/window.hpp"

namespace phasewise::comm {
namespace {

// A rank that gets nothing back from the rank that it writes to learns by an empty message that the
// memory of the preceding exchange is free. Otherwise the peer's flag says so: it is sent after
// that memory has been unpacked.
class Put : public Windowed {
 public:
  Put(const RoundPlace& place, exchange::Overhead overhead, bool flags_are_messages)
      : Windowed(place, overhead), signals_(place, flags_are_messages) {}
  bool blocks() const override { return !signals_.before().from.empty(); }

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages, true);
    posting.posted().requests.reserve(sends_.size() + receives_.size());
    free_other_half();
    signals_.start_receives(posting, signals_.after());
    signals_.exchange(posting, signals_.before());
    if (!sends_.empty()) put_and_flush(posting, messages);
    signals_.start_sends(posting, signals_.after());
    window_.next_half();
    return posting.under_way();
  }

 protected:
  // Called when the data of the preceding round have been used.
  virtual void free_other_half() {}
  virtual void put_and_flush(const Posting& posting, const RoundMessages& messages) = 0;

 private:
  SignalChannel signals_;
};

class PutIntoWindow : public Put {
 public:
  explicit PutIntoWindow(const RoundPlace& place)
      : Put(place, exchange::Overhead::one_sided, true) {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_.get());
  }
  ~PutIntoWindow() override {
    if (!mpi_has_ended()) MPI_Win_unlock_all(window_.get());
  }

 protected:
  void put_and_flush(const Posting& posting, const RoundMessages& messages) override {
    put_all(posting, messages);
    MPI_Win_flush_all(window_.get());
  }
};

class SimulatedPut : public Put {
 public:
  SimulatedPut(const RoundPlace& place, exchange::Overhead overhead, bool flags_are_messages)
      : Put(place, overhead, flags_are_messages), ends_(place), stands_in_(!flags_are_messages) {
    for (int half = 0; half < 2; ++half) ends_.expect(receives_, window_, half);
  }
  // Blocks as the protocol that it stands for does.
  bool blocks() const override { return stands_in_ || Put::blocks(); }

 protected:
  void free_other_half() override {
    if (used_) ends_.expect(receives_, window_, 1 - window_.half());
    used_ = true;
  }
  void put_and_flush(const Posting& posting, const RoundMessages& messages) override {
    ends_.put(posting, messages.sends, sends_);
  }

 private:
  WaitingEnds ends_;
  bool stands_in_;
  bool used_ = false;  // whether the other half has been used
};

}  // namespace

CarrierPointer make_put(const RoundPlace& place) {
  if (simulated())
    return std::make_unique<SimulatedPut>(place, exchange::Overhead::one_sided, true);
  return std::make_unique<PutIntoWindow>(place);
}

CarrierPointer make_simulated_put(const RoundPlace& place) {
  auto exchange = std::make_shared<exchange::Exchange>(*place.exchange);
  exchange->protocol = exchange::Protocol::put;
  return std::make_unique<SimulatedPut>(RoundPlace{place.group, exchange, place.round},
                                        overhead_of(place.exchange->protocol), false);
}

}  // namespace phasewise::comm
