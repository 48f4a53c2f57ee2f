#include "comm/collective.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

#include "comm/mpi/handle.hpp"

namespace phasewise::comm {

struct PendingCollective::Started {
  Recorder& recorder;
  int phase;
  int me;  // this rank among the members
  MPI_Request request = MPI_REQUEST_NULL;
  // Counts and places of blocks, which the library may read until the collective is done.
  std::vector<int> out{}, out_places{}, in{}, in_places{};
  std::vector<std::byte> given{};  // the terms of a sum on a simulated machine
  // What a sum adds: doubles, or the bits of bytes that are no doubles.
  MPI_Datatype values = MPI_DOUBLE;
  MPI_Op adding = MPI_SUM;

  void call(MPI_Comm members, const exchange::Collective& collective, const std::byte* from,
            std::byte* to);
  void begin(MPI_Comm members, const exchange::Collective& collective, const std::byte* from,
             std::byte* to);
};

namespace {

// Lays blocks of these sizes one after the other, counted in units of `unit` bytes.
void lay_out(const std::vector<std::int64_t>& sizes, std::int64_t unit, std::vector<int>& counts,
             std::vector<int>& places) {
  std::int64_t place = 0;
  for (const std::int64_t size : sizes) {
    counts.push_back(mpi_int(size / unit));
    places.push_back(mpi_int(place));
    place += size / unit;
  }
}

// Copies what a single member ends with.
void copy_alone(const exchange::Collective& collective, const std::byte* from, std::byte* to) {
  using exchange::CollectiveKind;
  const bool moves =
      !in_place(collective.kind) && collective.kind != CollectiveKind::exclusive_scan;
  if (moves && from != to) std::memcpy(to, from, static_cast<std::size_t>(collective.sizes[0]));
}

}  // namespace

void PendingCollective::Started::call(MPI_Comm members, const exchange::Collective& collective,
                                      const std::byte* from, std::byte* to) {
  const int root = collective.root;
  switch (collective.kind) {
    case exchange::CollectiveKind::barrier:
      MPI_Barrier(members);
      break;
    case exchange::CollectiveKind::broadcast:
      MPI_Bcast(to, out[0], MPI_BYTE, root, members);
      break;
    case exchange::CollectiveKind::sum:
      MPI_Allreduce(MPI_IN_PLACE, to, out[0], values, adding, members);
      break;
    case exchange::CollectiveKind::reduce_scatter:
      MPI_Reduce_scatter(from, to, out.data(), values, adding, members);
      break;
    case exchange::CollectiveKind::all_gather:
      MPI_Allgatherv(from, out[me], MPI_BYTE, to, out.data(), out_places.data(), MPI_BYTE, members);
      break;
    case exchange::CollectiveKind::all_to_all:
      MPI_Alltoallv(from, out.data(), out_places.data(), MPI_BYTE, to, in.data(), in_places.data(),
                    MPI_BYTE, members);
      break;
    case exchange::CollectiveKind::reduce:
      MPI_Reduce(from, to, out[0], values, adding, root, members);
      break;
    case exchange::CollectiveKind::gather:
      MPI_Gather(from, out[0], MPI_BYTE, to, out[0], MPI_BYTE, root, members);
      break;
    case exchange::CollectiveKind::scatter:
      MPI_Scatter(from, out[0], MPI_BYTE, to, out[0], MPI_BYTE, root, members);
      break;
    case exchange::CollectiveKind::scan:
      MPI_Scan(from, to, out[0], values, adding, members);
      break;
    case exchange::CollectiveKind::exclusive_scan:
      MPI_Exscan(from, to, out[0], values, adding, members);
      break;
    case exchange::CollectiveKind::reduce_scatter_equal:
      MPI_Reduce_scatter_block(from, to, out[0], values, adding, members);
      break;
    case exchange::CollectiveKind::all_gather_equal:
      MPI_Allgather(from, out[0], MPI_BYTE, to, out[0], MPI_BYTE, members);
      break;
    case exchange::CollectiveKind::all_to_all_equal:
      MPI_Alltoall(from, out[0], MPI_BYTE, to, out[0], MPI_BYTE, members);
      break;
    case exchange::CollectiveKind::gather_blocks:
      MPI_Gatherv(from, out[me], MPI_BYTE, to, out.data(), out_places.data(), MPI_BYTE, root,
                  members);
      break;
    case exchange::CollectiveKind::scatter_blocks:
      MPI_Scatterv(from, out.data(), out_places.data(), MPI_BYTE, to, out[me], MPI_BYTE, root,
                   members);
      break;
  }
}

void PendingCollective::Started::begin(MPI_Comm members, const exchange::Collective& collective,
                                       const std::byte* from, std::byte* to) {
  const int root = collective.root;
  switch (collective.kind) {
    case exchange::CollectiveKind::barrier:
      MPI_Ibarrier(members, &request);
      break;
    case exchange::CollectiveKind::broadcast:
      MPI_Ibcast(to, out[0], MPI_BYTE, root, members, &request);
      break;
    case exchange::CollectiveKind::sum:
      if (simulated()) {
        // SimGrid 3.32 sends what is in place from a copy that it frees before it is sent.
        given.assign(to, to + collective.sizes[0]);
        MPI_Iallreduce(given.data(), to, out[0], values, adding, members, &request);
      } else {
        MPI_Iallreduce(MPI_IN_PLACE, to, out[0], values, adding, members, &request);
      }
      break;
    case exchange::CollectiveKind::reduce_scatter:
      MPI_Ireduce_scatter(from, to, out.data(), values, adding, members, &request);
      break;
    case exchange::CollectiveKind::all_gather:
      MPI_Iallgatherv(from, out[me], MPI_BYTE, to, out.data(), out_places.data(), MPI_BYTE, members,
                      &request);
      break;
    case exchange::CollectiveKind::all_to_all:
      MPI_Ialltoallv(from, out.data(), out_places.data(), MPI_BYTE, to, in.data(), in_places.data(),
                     MPI_BYTE, members, &request);
      break;
    case exchange::CollectiveKind::reduce:
      MPI_Ireduce(from, to, out[0], values, adding, root, members, &request);
      break;
    case exchange::CollectiveKind::gather:
      MPI_Igather(from, out[0], MPI_BYTE, to, out[0], MPI_BYTE, root, members, &request);
      break;
    case exchange::CollectiveKind::scatter:
      MPI_Iscatter(from, out[0], MPI_BYTE, to, out[0], MPI_BYTE, root, members, &request);
      break;
    case exchange::CollectiveKind::scan:
      MPI_Iscan(from, to, out[0], values, adding, members, &request);
      break;
    case exchange::CollectiveKind::exclusive_scan:
      MPI_Iexscan(from, to, out[0], values, adding, members, &request);
      break;
    case exchange::CollectiveKind::reduce_scatter_equal:
      MPI_Ireduce_scatter_block(from, to, out[0], values, adding, members, &request);
      break;
    case exchange::CollectiveKind::all_gather_equal:
      MPI_Iallgather(from, out[0], MPI_BYTE, to, out[0], MPI_BYTE, members, &request);
      break;
    case exchange::CollectiveKind::all_to_all_equal:
      MPI_Ialltoall(from, out[0], MPI_BYTE, to, out[0], MPI_BYTE, members, &request);
      break;
    case exchange::CollectiveKind::gather_blocks:
      MPI_Igatherv(from, out[me], MPI_BYTE, to, out.data(), out_places.data(), MPI_BYTE, root,
                   members, &request);
      break;
    case exchange::CollectiveKind::scatter_blocks:
      MPI_Iscatterv(from, out.data(), out_places.data(), MPI_BYTE, to, out[me], MPI_BYTE, root,
                    members, &request);
      break;
  }
}

PendingCollective::PendingCollective() = default;
PendingCollective::PendingCollective(std::unique_ptr<Started> started)
    : started_(std::move(started)) {}
PendingCollective::PendingCollective(PendingCollective&&) noexcept = default;

PendingCollective& PendingCollective::operator=(PendingCollective&& other) noexcept {
  wait();
  started_ = std::move(other.started_);
  return *this;
}

// When a rank fails, all ranks are ended: it must not wait for other ranks, which may never come.
PendingCollective::~PendingCollective() {
  if (std::uncaught_exceptions() == 0) wait();
}

PendingCollective PendingCollective::start(const Communicator& members,
                                           const exchange::Collective& collective,
                                           const std::byte* from, std::byte* to) {
  if (members.size() == 1) {
    if (to != nullptr) copy_alone(collective, from, to);
    return {};
  }
  const bool doubles =
      adds(collective.kind) && std::ranges::all_of(collective.sizes, [](std::int64_t size) {
        return size % static_cast<std::int64_t>(sizeof(double)) == 0;
      });
  const std::int64_t unit = doubles ? static_cast<std::int64_t>(sizeof(double)) : 1;
  const int phase = members.recorder().phase(collective.phase);
  std::unique_ptr<Started> started(new Started{members.recorder(), phase, members.rank()});
  if (!doubles) {
    started->values = MPI_BYTE;
    started->adding = MPI_BOR;
  }
  lay_out(collective.sizes, unit, started->out, started->out_places);
  lay_out(collective.receives, unit, started->in, started->in_places);
  const LibraryCall call(members.recorder(), phase, collective.asked_bytes(members.rank()));
  if (collective.blocking) {
    started->call(members.handle_->get(), collective, from, to);
    return {};
  }
  started->begin(members.handle_->get(), collective, from, to);
  return PendingCollective(std::move(started));
}

bool PendingCollective::test() {
  if (started_ == nullptr) return true;
  Started& started = *started_;
  const InPhase in(started.recorder, started.phase, true);
  const double start = parallel::clock().now();
  int done = 0;
  MPI_Test(&started.request, &done, MPI_STATUS_IGNORE);
  started.recorder.communicated(started.phase, start, parallel::clock().now());
  if (done != 0) started_.reset();
  return done != 0;
}

void PendingCollective::wait() {
  if (started_ == nullptr) return;
  Started& started = *started_;
  const InPhase in(started.recorder, started.phase, true);
  const double start = parallel::clock().now();
  MPI_Wait(&started.request, MPI_STATUS_IGNORE);
  started.recorder.communicated(started.phase, start, parallel::clock().now());
  started_.reset();
}

}  // namespace phasewise::comm
