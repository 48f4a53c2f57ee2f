#include "comm/requests.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "comm/mpi/posted.hpp"

namespace phasewise::comm {

// The messages under way.
struct Requests::Posted {
  struct One {
    MPI_Request request = MPI_REQUEST_NULL;
    bool receives = false;
  };
  OwnedComm comm;
  std::vector<One> by_number{};
  std::vector<MPI_Request> awaited{};
};

Requests::Requests(const Communicator& world)
    : world_(world), posted_(new Posted{duplicate(Inside::comm(world))}) {}
Requests::~Requests() = default;

void Requests::post(const exchange::PostedMessage& message) {
  Recorder& recorder = world_.recorder();
  const int phase = recorder.phase(message.phase);
  const InPhase in(recorder, phase);
  // No tag carries the time at which the message was sent.
  recorder.waited(phase, std::numeric_limits<double>::quiet_NaN());
  std::byte* const data = (message.sends ? sent_ : received_).at_least(message.bytes);
  const int count = mpi_int(message.bytes);
  const MPI_Comm comm = posted_->comm.get();
  const double start = recorder.now();
  if (message.sends) {
    charge_overhead(exchange::Overhead::two_sided, 1);
    if (message.peer != world_.rank()) recorder.sent(phase, 0, message.peer, message.bytes);
  }
  if (message.request != exchange::blocking_call) {
    post_later(message, data, count);
  } else if (!message.sends) {
    MPI_Recv(data, count, MPI_BYTE, message.peer, message.tag, comm, MPI_STATUS_IGNORE);
    charge_overhead(exchange::Overhead::two_sided, 1);
  } else if (message.synchronous) {
    MPI_Ssend(data, count, MPI_BYTE, message.peer, message.tag, comm);
  } else {
    MPI_Send(data, count, MPI_BYTE, message.peer, message.tag, comm);
  }
  recorder.communicated(phase, start, recorder.now());
}

void Requests::post_later(const exchange::PostedMessage& message, std::byte* data, int count) {
  const bool awaited = message.request != exchange::never_awaited;
  const auto number = static_cast<std::size_t>(std::max(message.request, 0));
  if (awaited && posted_->by_number.size() <= number) posted_->by_number.resize(number + 1);
  Posted::One unawaited;
  auto& [request, receives] = awaited ? posted_->by_number[number] : unawaited;
  receives = !message.sends;
  const MPI_Comm comm = posted_->comm.get();
  if (receives)
    MPI_Irecv(data, count, MPI_BYTE, message.peer, message.tag, comm, &request);
  else if (message.synchronous)
    MPI_Issend(data, count, MPI_BYTE, message.peer, message.tag, comm, &request);
  else
    MPI_Isend(data, count, MPI_BYTE, message.peer, message.tag, comm, &request);
  if (!awaited) MPI_Request_free(&request);
}

void Requests::start(const Communicator& members, const exchange::Collective& collective) {
  const std::int64_t bytes = std::accumulate(collective.receives.begin(), collective.receives.end(),
                                             collective.total_bytes());
  PendingCollective pending = PendingCollective::start(members, collective, sent_.at_least(bytes),
                                                       received_.at_least(bytes));
  if (collective.request >= 0) collectives_[collective.request] = std::move(pending);
}

void Requests::wait(std::string_view name, std::span<const int> requests) {
  Recorder& recorder = world_.recorder();
  const int phase = recorder.phase(name);
  const InPhase in(recorder, phase);
  const double start = recorder.now();
  std::vector<MPI_Request>& awaited = posted_->awaited;
  awaited.clear();
  std::size_t received = 0;
  for (const int number : requests) {
    if (collectives_.contains(number)) continue;
    Posted::One& one = posted_->by_number.at(static_cast<std::size_t>(number));
    awaited.push_back(std::exchange(one.request, MPI_REQUEST_NULL));
    received += one.receives ? 1 : 0;
  }
  if (!awaited.empty())
    MPI_Waitall(static_cast<int>(awaited.size()), awaited.data(), MPI_STATUSES_IGNORE);
  charge_overhead(exchange::Overhead::two_sided, received);
  recorder.communicated(phase, start, recorder.now());
  for (const int number : requests) collectives_.erase(number);
}

}  // namespace phasewise::comm
