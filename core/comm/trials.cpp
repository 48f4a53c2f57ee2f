// Messages that only measure the machine.
#include <array>

#include "comm/handle.hpp"

namespace phasewise::comm {
namespace {

int count_of(std::span<const std::byte> bytes) { return static_cast<int>(bytes.size()); }

int rank_or_none(int rank) { return rank < 0 ? MPI_PROC_NULL : rank; }

}  // namespace

Span Communicator::both_ways(std::span<const std::byte> out, int to, std::span<std::byte> in,
                             int from) const {
  std::array<MPI_Request, 2> requests;
  const double start = parallel::clock().now();
  MPI_Irecv(in.data(), count_of(in), MPI_BYTE, rank_or_none(from), 0, handle_->get(), &requests[0]);
  MPI_Isend(out.data(), count_of(out), MPI_BYTE, rank_or_none(to), 0, handle_->get(), &requests[1]);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  return {start, parallel::clock().now()};
}

Span Communicator::round_trip(std::span<std::byte> data, int peer, bool leads) const {
  const auto send = [&] {
    MPI_Send(data.data(), count_of(data), MPI_BYTE, peer, 0, handle_->get());
  };
  const double start = parallel::clock().now();
  if (leads) send();
  MPI_Recv(data.data(), count_of(data), MPI_BYTE, peer, 0, handle_->get(), MPI_STATUS_IGNORE);
  if (!leads) send();
  return {start, parallel::clock().now()};
}

}  // namespace phasewise::comm
