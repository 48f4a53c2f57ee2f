// One-sided: put, flush, and an empty message as flag, whose tag carries the sender's time.
#include "comm/protocols/carriers.hpp"
#include "comm/protocols/signals.hpp"
#include "comm/protocols/windowed.hpp"

namespace phasewise::comm {
namespace {

// A rank that gets nothing back from the rank that it writes to learns by an empty message that the
// memory of the exchange before is free. Elsewhere the peer's flag tells: it was sent after that
// memory had been unpacked.
class Put : public Windowed {
 public:
  Put(const RoundPlace& place, Overhead overhead, bool flags_are_messages)
      : Windowed(place, overhead), signals_(place, flags_are_messages) {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_.get());
  }
  ~Put() override {
    if (!mpi_has_ended()) MPI_Win_unlock_all(window_.get());
  }
  bool blocks() const override { return !signals_.before().from.empty(); }

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages, true);
    posting.posted().requests.reserve(sends_.size() + receives_.size());
    signals_.start_receives(posting, signals_.after());
    signals_.exchange(posting, signals_.before());
    put_all(posting, messages);
    if (!sends_.empty()) MPI_Win_flush_all(window_.get());
    signals_.start_sends(posting, signals_.after());
    window_.next_half();
    return posting.under_way();
  }

 private:
  SignalChannel signals_;
};

}  // namespace

CarrierPointer make_put(const RoundPlace& place) {
  return std::make_unique<Put>(place, Overhead::one_sided, true);
}

CarrierPointer make_simulated_put(const RoundPlace& place) {
  auto exchange = std::make_shared<Exchange>(*place.exchange);
  exchange->protocol = Protocol::put;
  return std::make_unique<Put>(RoundPlace{place.group, exchange, place.round},
                               overhead_of(place.exchange->protocol), false);
}

}  // namespace phasewise::comm
