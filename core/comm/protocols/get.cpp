// One-sided: a rank packs its data into memory that others read from, says so by an empty message,
// and reads those of the others.
#include "comm/protocols/carriers.hpp"
#include "comm/protocols/signals.hpp"
#include "comm/protocols/two_sided.hpp"
#include "comm/protocols/window.hpp"

namespace phasewise::comm {
namespace {

class Get : public Carrier {
 public:
  explicit Get(const RoundPlace& place)
      : group_(place.group),
        channel_(place.exchange->channel),
        sends_(links_of(place, place.messages().sends)),
        receives_(links_of(place, place.messages().receives)),
        window_(place, sends_, receives_),
        signals_(place) {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_.get());
  }
  ~Get() override {
    if (!mpi_has_ended()) MPI_Win_unlock_all(window_.get());
  }
  std::byte* outgoing(std::size_t i) override { return window_.mine(i); }
  bool blocks() const override { return true; }

  Pending post(const RoundMessages& messages) override {
    Posting posting(group_, messages.phase, channel_, Overhead::one_sided, true);
    posting.record(messages.sends, messages.receives);
    signals_.exchange(posting, signals_.before());
    window_.sync();
    signals_.exchange(posting, signals_.after());
    for (std::size_t i = 0; i < receives_.size(); ++i)
      get(posting, messages.receives[i], receives_[i].peer_here, window_.theirs(i), window_.get());
    if (!receives_.empty()) MPI_Win_flush_all(window_.get());
    window_.next_half();
    posting.finished();
    return {};
  }

 private:
  const Communicator& group_;
  Channel channel_;
  std::vector<Link> sends_, receives_;
  HalvedWindow window_;
  SignalChannel signals_;
};

}  // namespace

CarrierPointer make_get(const RoundPlace& place) { return std::make_unique<Get>(place); }

}  // namespace phasewise::comm
