// Empty messages between the ranks of a round: flags and handshakes. They have a communicator of
// their own, so that no receive of data takes them.
#pragma once

#include <vector>

#include "comm/carrier.hpp"
#include "comm/mpi/posted.hpp"

namespace phasewise::comm {

// Returns the numbers in the group of these ranks among all.
std::vector<int> ranks_in(const Communicator& group, const std::vector<int>& ranks);

class SignalChannel {
 public:
  // Collective over the group. `counted` says whether signals are recorded as messages, or stand
  // for flags in memory.
  explicit SignalChannel(const RoundPlace& place, bool counted = true);

  // The ranks to and from which an empty message goes, either before or after the data.
  struct Peers {
    std::vector<int> to, from;            // among all
    std::vector<int> to_here, from_here;  // in the group
  };
  const Peers& before() const { return before_; }
  const Peers& after() const { return after_; }

  // Sends to all of peers.to and returns when a signal has come from each of peers.from.
  void exchange(Posting& posting, const Peers& peers);
  // Starts to receive from all of peers.from, one request of the posting for each.
  void start_receives(Posting& posting, const Peers& peers) const;
  // Starts to send to all of peers.to, one request of the posting for each.
  void start_sends(Posting& posting, const Peers& peers) const;

 private:
  void record(Posting& posting, int peer) const;

  OwnedComm comm_;
  bool counted_;
  Peers before_, after_;
  std::vector<MPI_Request> requests_;
};

}  // namespace phasewise::comm
