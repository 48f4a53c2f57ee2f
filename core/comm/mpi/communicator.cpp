#include "comm/communicator.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "comm/mpi/posted.hpp"

namespace phasewise::comm {
Communicator::Communicator(std::unique_ptr<Handle> handle, Recorder& recorder)
    : handle_(std::move(handle)), recorder_(&recorder) {
  MPI_Comm_rank(handle_->get(), &rank_);
  MPI_Comm_size(handle_->get(), &size_);
}

Communicator::~Communicator() = default;
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

Communicator Communicator::world(Recorder& recorder) {
  initialise();
  const auto world = std::make_shared<World>();
  for (OwnedComm& channel : world->channel) channel = duplicate(MPI_COMM_WORLD);
  OwnedComm all = duplicate(MPI_COMM_WORLD);
  world->clock = TagClock(largest_tag(), measure_clock_offset(all.get()));
  return {std::unique_ptr<Handle>(new Handle{std::move(all), world}), recorder};
}

Communicator Communicator::split(int color, int key) const {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(handle_->get(), color, key, &part);
  return {std::unique_ptr<Handle>(new Handle{OwnedComm(part), handle_->world}), *recorder_};
}

double Communicator::clock_offset() const { return handle_->world->clock.offset(); }

OwnedComm ranks_of_node(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm node = MPI_COMM_NULL;
#if PHASEWISE_SIMULATED
  // A simulated node of several parts has a host for each, such as node3.1, and SimGrid takes the
  // ranks of a host for those of a node.
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0, number = 0, part = 0;
  MPI_Get_processor_name(name, &length);
  if (std::sscanf(name, "node%d.%d", &number, &part) == 2) {
    MPI_Comm_split(comm, number, rank, &node);
    return OwnedComm(node);
  }
#endif
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  return OwnedComm(node);
}

std::vector<int> Communicator::nodes() const {
  const OwnedComm node = ranks_of_node(handle_->get());
  int first = rank_;  // first rank of the node
  MPI_Bcast(&first, 1, MPI_INT, 0, node.get());
  std::vector<int> firsts(size_);
  MPI_Allgather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, handle_->get());
  std::map<int, int> number;
  std::vector<int> result;
  result.reserve(firsts.size());
  for (const int leader : firsts)
    result.push_back(number.emplace(leader, static_cast<int>(number.size())).first->second);
  return result;
}

void Communicator::barrier() const { MPI_Barrier(handle_->get()); }

void Communicator::agree(std::span<std::int64_t> values) const {
  if (size_ > 1 && !values.empty())
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T,
                  MPI_MAX, handle_->get());
}

}  // namespace phasewise::comm
