// One-sided: a rank packs its data into memory that others read from, tells them so by an empty
// message, and reads the data of the others.
#include "comm/protocols/carriers.hpp"
#include "comm/protocols/signals.hpp"
#include "comm/protocols/waiting_ends.hpp"
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
        signals_(place) {}
  bool gives_memory() const override { return true; }
  std::byte* outgoing(std::size_t i) override { return window_.mine(i); }
  bool blocks() const override { return true; }

  Pending post(const RoundMessages& messages) override {
    Posting posting(group_, messages.phase, channel_, exchange::Overhead::one_sided, true);
    posting.record(messages.sends, messages.receives);
    signals_.exchange(posting, signals_.before());
    expose(posting, messages);
    signals_.exchange(posting, signals_.after());
    if (!receives_.empty()) get_and_flush(posting, messages);
    window_.next_half();
    posting.finished();
    return {};
  }

 protected:
  virtual void expose(const Posting& posting, const RoundMessages& messages) = 0;
  virtual void get_and_flush(const Posting& posting, const RoundMessages& messages) = 0;

  const Communicator& group_;
  exchange::Channel channel_;
  std::vector<Link> sends_, receives_;
  HalvedWindow window_;

 private:
  SignalChannel signals_;
};

class GetFromWindow : public Get {
 public:
  explicit GetFromWindow(const RoundPlace& place) : Get(place) {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_.get());
  }
  ~GetFromWindow() override {
    if (!mpi_has_ended()) MPI_Win_unlock_all(window_.get());
  }

 protected:
  void expose(const Posting& /*posting*/, const RoundMessages& /*messages*/) override {
    window_.sync();
  }
  void get_and_flush(const Posting& posting, const RoundMessages& messages) override {
    for (std::size_t i = 0; i < receives_.size(); ++i)
      get(posting, messages.receives[i], receives_[i].peer_here, window_.theirs(i), window_.get());
    MPI_Win_flush_all(window_.get());
  }
};

class SimulatedGet : public Get {
 public:
  explicit SimulatedGet(const RoundPlace& place) : Get(place), ends_(place) {}

 protected:
  void expose(const Posting& posting, const RoundMessages& messages) override {
    ends_.expose(posting, messages.sends, sends_, window_.half());
  }
  void get_and_flush(const Posting& posting, const RoundMessages& messages) override {
    ends_.get(posting, messages.receives, receives_);
  }

 private:
  WaitingEnds ends_;
};

}  // namespace

CarrierPointer make_get(const RoundPlace& place) {
  if (simulated()) return std::make_unique<SimulatedGet>(place);
  return std::make_unique<GetFromWindow>(place);
}

}  // namespace phasewise::comm
