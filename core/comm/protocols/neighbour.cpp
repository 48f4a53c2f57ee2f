// The library's collective among neighbours (MPI_Neighbor_alltoallw), on a graph of the round.
#include "comm/protocols/carriers.hpp"

// SimGrid 3.32 has no neighbourhood collectives.
#if !defined(SMPI_H)

#include "comm/protocols/signals.hpp"
#include "comm/protocols/types.hpp"

namespace phasewise::comm {
namespace {

std::vector<int> peers(const exchange::Exchange& exchange,
                       const std::vector<exchange::Transfer>& transfers) {
  std::vector<int> ranks;
  for (const exchange::Transfer& t : transfers)
    if (exchange.message_bytes(t) > 0) ranks.push_back(exchange.team->ranks[t.peer]);
  return ranks;
}

// The graph has its edges in the order in which both ends list their messages, so that two messages
// between the same ranks match.
OwnedComm graph_of(const RoundPlace& place) {
  const std::vector<int> to = ranks_in(place.group, peers(*place.exchange, place.messages().sends));
  const std::vector<int> from =
      ranks_in(place.group, peers(*place.exchange, place.messages().receives));
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(Inside::comm(place.group), static_cast<int>(from.size()),
                                 from.data(), MPI_UNWEIGHTED, static_cast<int>(to.size()),
                                 to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  return OwnedComm(graph);
}

std::vector<MPI_Datatype> handles(const std::vector<OwnedType>& types) {
  std::vector<MPI_Datatype> result;
  result.reserve(types.size());
  for (const OwnedType& type : types) result.push_back(type.get());
  return result;
}

class Neighbour : public Carrier {
 public:
  explicit Neighbour(const RoundPlace& place)
      : group_(place.group),
        channel_(place.exchange->channel),
        types_(place),
        graph_(graph_of(place)) {}
  bool blocks() const override { return true; }

  // A single call exchanges everything, so that how late a neighbour was stays unknown.
  Pending post(const RoundMessages& messages) override {
    Posting posting(group_, messages.phase, channel_, exchange::Overhead::derived, false);
    types_.prepare(messages);
    posting.record(messages.sends, messages.receives);
    const std::vector<MPI_Datatype> out = handles(types_.sends()), in = handles(types_.receives());
    const std::vector<int> ones(std::max(out.size(), in.size()), 1);
    const std::vector<MPI_Aint> zeros(ones.size(), 0);
    MPI_Neighbor_alltoallw(messages.from.data, ones.data(), zeros.data(), out.data(),
                           messages.to.data, ones.data(), zeros.data(), in.data(), graph_.get());
    posting.finished();
    return {};
  }

 private:
  const Communicator& group_;
  exchange::Channel channel_;
  RoundTypes types_;
  OwnedComm graph_;
};

}  // namespace

CarrierPointer make_neighbour(const RoundPlace& place) {
  return std::make_unique<Neighbour>(place);
}

}  // namespace phasewise::comm

#else

namespace phasewise::comm {

CarrierPointer make_neighbour(const RoundPlace&) { return nullptr; }

}  // namespace phasewise::comm

#endif
