// MPI 4's partitioned messages with one partition each. The requests are made once, receives first;
// a message is sent when its partition is declared ready.
#include "comm/protocols/carriers.hpp"
#include "comm/protocols/window.hpp"

#if MPI_VERSION >= 4

#include "parallel/buffer.hpp"

namespace phasewise::comm {
namespace {

// The messages are packed into memory of this carrier: two requests match once and for all, so that
// neither end may renew its own when its data have moved. No tag carries the sender's time.
class Partitioned : public Carrier {
 public:
  explicit Partitioned(const RoundPlace& place)
      : group_(place.group),
        channel_(place.exchange->channel),
        sends_(links_of(place, place.messages().sends)),
        receives_(links_of(place, place.messages().receives)) {
    const int channel = static_cast<int>(channel_);
    const MPI_Comm comm = Inside::world(group_)->channel[channel].get();
    for (const Link& link : receives_) {
      const auto& [peer, memory] = remember(incoming_, link);
      MPI_Precv_init(memory, 1, link.bytes, MPI_BYTE, peer, 0, comm, MPI_INFO_NULL,
                     &requests_.emplace_back());
    }
    for (const Link& link : sends_) {
      const auto& [peer, memory] = remember(outgoing_, link);
      MPI_Psend_init(memory, 1, link.bytes, MPI_BYTE, peer, 0, comm, MPI_INFO_NULL,
                     &requests_.emplace_back());
    }
  }
  ~Partitioned() override {
    if (mpi_has_ended()) return;
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }

  bool gives_memory() const override { return true; }
  std::byte* outgoing(std::size_t i) override { return outgoing_[i].data(); }
  std::byte* incoming(std::size_t i) override { return incoming_[i].data(); }
  bool blocks() const override { return false; }

  Pending post(const RoundMessages& messages) override {
    Posting posting(group_, messages.phase, channel_, exchange::Overhead::persistent, false);
    posting.record(messages.sends, messages.receives);
    if (!requests_.empty()) MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
    for (std::size_t i = receives_.size(); i < requests_.size(); ++i) MPI_Pready(0, requests_[i]);
    // Such a request keeps its handle, so that a copy of it can be waited for.
    posting.posted().requests = requests_;
    return posting.under_way();
  }

 private:
  using Bytes = parallel::Buffer<std::byte>;
  struct Place {
    int peer;
    std::byte* memory;
  };
  static Place remember(std::vector<Bytes>& buffers, const Link& link) {
    buffers.emplace_back().reserve(link.bytes);
    return {link.peer, buffers.back().data()};
  }

  const Communicator& group_;
  exchange::Channel channel_;
  std::vector<Link> sends_, receives_;
  std::vector<Bytes> outgoing_, incoming_;
  std::vector<MPI_Request> requests_;  // receives first
};

}  // namespace

std::string missing_partitioned() { return {}; }

CarrierPointer make_partitioned(const RoundPlace& place) {
  return std::make_unique<Partitioned>(place);
}

}  // namespace phasewise::comm

#else

#include <stdexcept>

namespace phasewise::comm {

std::string missing_partitioned() {
  return "needs MPI 4, which this MPI library lacks: install the Debian packages mpich and "
         "libmpich-dev, run make setup and set PHASEWISE_CORE=mpich";
}

CarrierPointer make_partitioned(const RoundPlace& /*place*/) {
  throw std::logic_error("this MPI library has no partitioned messages");
}

}  // namespace phasewise::comm

#endif
