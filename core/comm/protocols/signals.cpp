#include "comm/protocols/signals.hpp"

#include "comm/protocols/two_sided.hpp"

namespace phasewise::comm {
std::vector<int> ranks_in(const Communicator& group, const std::vector<int>& ranks) {
  if (ranks.empty()) return {};  // SimGrid refuses to translate an empty list
  MPI_Group all = MPI_GROUP_NULL, here = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_group(Inside::comm(group), &here);
  std::vector<int> result(ranks.size());
  MPI_Group_translate_ranks(all, static_cast<int>(ranks.size()), ranks.data(), here, result.data());
  MPI_Group_free(&all);
  MPI_Group_free(&here);
  return result;
}

// A rank expects a signal from each rank that sends it one. These are the signals of the round in
// which all messages go the other way.
SignalChannel::SignalChannel(const RoundPlace& place, bool counted)
    : comm_(duplicate(Inside::comm(place.group))), counted_(counted) {
  const exchange::Signals out = signals_of(*place.exchange, place.messages());
  const exchange::Signals in = signals_of(*place.exchange, opposite(place.messages()));
  const auto peers = [&](const std::vector<int>& to, const std::vector<int>& from) {
    return Peers{to, from, ranks_in(place.group, to), ranks_in(place.group, from)};
  };
  before_ = peers(out.before, in.before);
  after_ = peers(out.after, in.after);
}

void SignalChannel::record(Posting& posting, int peer) const {
  Recorder& recorder = *posting.posted().recorder;
  if (counted_)
    recorder.signalled(posting.posted().phase, peer);
  else
    recorder.synchronised(posting.posted().phase, 1);
}

void SignalChannel::exchange(Posting& posting, const Peers& peers) {
  requests_.assign(peers.from.size() + peers.to.size(), MPI_REQUEST_NULL);
  std::size_t at = 0;
  for (const int rank : peers.from_here)
    MPI_Irecv(nullptr, 0, MPI_BYTE, rank, MPI_ANY_TAG, comm_.get(), &requests_[at++]);
  for (std::size_t i = 0; i < peers.to.size(); ++i) {
    record(posting, peers.to[i]);
    MPI_Isend(nullptr, 0, MPI_BYTE, peers.to_here[i], posting.tag(), comm_.get(), &requests_[at++]);
  }
  wait_for_all(requests_);
}

void SignalChannel::start_receives(Posting& posting, const Peers& peers) const {
  for (const int rank : peers.from_here)
    MPI_Irecv(nullptr, 0, MPI_BYTE, rank, MPI_ANY_TAG, comm_.get(), posting.request());
}

void SignalChannel::start_sends(Posting& posting, const Peers& peers) const {
  for (std::size_t i = 0; i < peers.to.size(); ++i) {
    record(posting, peers.to[i]);
    MPI_Isend(nullptr, 0, MPI_BYTE, peers.to_here[i], posting.tag(), comm_.get(),
              posting.request());
  }
}

}  // namespace phasewise::comm
