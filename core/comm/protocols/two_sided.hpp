// What the two-sided protocols share.
#pragma once

#include "comm/carrier.hpp"
#include "comm/mpi/posted.hpp"

namespace phasewise::comm {

class TwoSided : public Carrier {
 public:
  explicit TwoSided(const RoundPlace& place)
      : group_(place.group), channel_(place.exchange->channel) {}
  bool blocks() const override { return true; }

 protected:
  Posting begin(const RoundMessages& messages) const {
    Posting posting(group_, messages.phase, channel_, exchange::Overhead::two_sided, true);
    posting.record(messages.sends, messages.receives);
    return posting;
  }
  const Communicator& group_;
  exchange::Channel channel_;
};

// The calls of a message in a round whose posting is under way.
inline void start_receive(const Posting& posting, const Message& m, MPI_Request* request) {
  const auto [count, type] = posting.count(m);
  MPI_Irecv(m.data, count, type, m.peer, MPI_ANY_TAG, posting.comm(), request);
}
inline void start_send(const Posting& posting, const Message& m, MPI_Request* request) {
  charge_overhead(exchange::Overhead::two_sided, 1);
  const auto [count, type] = posting.count(m);
  MPI_Isend(m.data, count, type, m.peer, posting.tag(), posting.comm(), request);
}
inline void receive(Posting& posting, const Message& m) {
  const auto [count, type] = posting.count(m);
  MPI_Status status;
  MPI_Recv(m.data, count, type, m.peer, MPI_ANY_TAG, posting.comm(), &status);
  posting.received(status);
}
inline void send(const Posting& posting, const Message& m) {
  charge_overhead(exchange::Overhead::two_sided, 1);
  const auto [count, type] = posting.count(m);
  MPI_Send(m.data, count, type, m.peer, posting.tag(), posting.comm());
}
void wait_for_all(std::vector<MPI_Request>& requests);
// Waits for receives, whose senders may be late.
void wait_for_receives(Posting& posting, std::vector<MPI_Request>& requests);

}  // namespace phasewise::comm
