// Like irecv_isend, but the requests are made once, receives first (otherwise SimGrid 3.32
// deadlocks). The peer's messages on this channel must be persistent too: their fixed tag carries
// no time, so that a late sender is not detected.
#include <algorithm>

#include "comm/protocols/carriers.hpp"
#include "comm/protocols/two_sided.hpp"

namespace phasewise::comm {
namespace {

class Persistent : public Carrier {
 public:
  explicit Persistent(const RoundPlace& place)
      : group_(place.group), channel_(place.exchange->channel) {}
  ~Persistent() override {
    if (!mpi_has_ended()) free_requests();
  }
  bool blocks() const override { return false; }

  Pending post(const RoundMessages& messages) override {
    if (messages.sends.empty() && messages.receives.empty()) return {};
    Posting posting(group_, messages.phase, channel_, exchange::Overhead::persistent, false);
    if (!std::ranges::equal(messages.sends, sends_) ||
        !std::ranges::equal(messages.receives, receives_))
      make_requests(posting, messages);
    posting.record(sends_, receives_);
    charge_overhead(exchange::Overhead::persistent, sends_.size());
    // A persistent request keeps its handle, so that a copy of it can be waited for.
    MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
    posting.posted().requests = requests_;
    return posting.under_way();
  }

 private:
  void free_requests() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
    requests_.clear();
  }
  // Makes the requests again if the messages' memory has moved.
  void make_requests(const Posting& posting, const RoundMessages& messages) {
    free_requests();
    receives_.assign(messages.receives.begin(), messages.receives.end());
    sends_.assign(messages.sends.begin(), messages.sends.end());
    for (const Message& m : receives_) {
      const auto [count, type] = posting.count(m);
      MPI_Recv_init(m.data, count, type, m.peer, 0, posting.comm(), &requests_.emplace_back());
    }
    for (const Message& m : sends_) {
      const auto [count, type] = posting.count(m);
      MPI_Send_init(m.data, count, type, m.peer, 0, posting.comm(), &requests_.emplace_back());
    }
  }

  const Communicator& group_;
  exchange::Channel channel_;
  std::vector<Message> sends_, receives_;
  std::vector<MPI_Request> requests_;  // receives first
};

}  // namespace

CarrierPointer make_persistent(const RoundPlace& place) {
  return std::make_unique<Persistent>(place);
}

}  // namespace phasewise::comm
