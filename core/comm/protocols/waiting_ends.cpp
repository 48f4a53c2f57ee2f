#include "comm/protocols/waiting_ends.hpp"

#include "comm/protocols/two_sided.hpp"

namespace phasewise::comm {
namespace {

constexpr int tag = 0;

}  // namespace

WaitingEnds::~WaitingEnds() {
  if (mpi_has_ended()) return;
  MPI_Barrier(comm_.get());  // a slower rank may still read from a send
  for (std::vector<MPI_Request>& half : waiting_)
    for (MPI_Request& request : half) {
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
}

void WaitingEnds::expect(const std::vector<Link>& links, const HalvedWindow& window, int half) {
  std::vector<MPI_Request>& requests = waiting_[half];
  wait_for_all(requests);
  requests.resize(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto [peer, peer_here, bytes] = links[i];
    const auto [count, type] = mpi_count({peer, nullptr, bytes}, "");
    MPI_Irecv(window.mine(i, half), count, type, peer_here, tag, comm_.get(), &requests[i]);
  }
}

void WaitingEnds::put(const Posting& posting, std::span<const Message> messages,
                      const std::vector<Link>& links) {
  asked_.resize(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    charge_overhead(posting.overhead(), 1);
    const auto [count, type] = posting.count(messages[i]);
    MPI_Issend(messages[i].data, count, type, links[i].peer_here, tag, comm_.get(), &asked_[i]);
  }
  wait_for_all(asked_);
}

void WaitingEnds::expose(const Posting& posting, std::span<const Message> messages,
                         const std::vector<Link>& links, int half) {
  std::vector<MPI_Request>& requests = waiting_[half];
  wait_for_all(requests);
  requests.resize(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto [count, type] = posting.count(messages[i]);
    MPI_Issend(messages[i].data, count, type, links[i].peer_here, tag, comm_.get(), &requests[i]);
  }
}

void WaitingEnds::get(const Posting& posting, std::span<const Message> messages,
                      const std::vector<Link>& links) {
  asked_.resize(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    charge_overhead(posting.overhead(), 1);
    const auto [count, type] = posting.count(messages[i]);
    MPI_Irecv(messages[i].data, count, type, links[i].peer_here, tag, comm_.get(), &asked_[i]);
  }
  wait_for_all(asked_);
}

}  // namespace phasewise::comm
