#include "comm/protocols/near_memory.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "comm/message_buffer.hpp"

namespace phasewise::comm {
namespace {

constexpr int spins_within_node = 2000;  // before the processor is yielded to others

std::int64_t slot_bytes(std::int64_t bytes) {
  return 2 * parallel::cache_line + 2 * parallel::whole_lines(bytes);
}

}  // namespace

double await(const NearFlag& flag, std::int64_t count) {
  for (int i = 0; flag.count.load(std::memory_order_acquire) < count; ++i)
    if (i >= spins_within_node) sched_yield();
  return flag.time;
}

void raise(NearFlag& flag, std::int64_t count, double time) {
  flag.time = time;
  flag.count.store(count, std::memory_order_release);
}

NearMemory::NearMemory(const RoundPlace& place, const std::vector<Link>& sends,
                       const std::vector<Link>& receives) {
  std::int64_t bytes = 0;
  std::vector<std::int64_t> mine;
  for (const Link& link : receives) {
    mine.push_back(bytes);
    bytes += slot_bytes(link.bytes);
  }
  allocate(place, bytes);
  for (std::size_t i = 0; i < receives.size(); ++i)
    receives_.push_back(slot_at(memory_ + mine[i], receives[i].bytes));

  const std::vector<std::int64_t> theirs = told(place.group, mine, receives, sends);
  for (std::size_t i = 0; i < sends.size(); ++i)
    sends_.push_back(slot_at(memory_of(sends[i]) + theirs[i], sends[i].bytes));
}

NearMemory::Slot NearMemory::slot_at(std::byte* at, std::int64_t bytes) {
  return {reinterpret_cast<NearFlag*>(at), reinterpret_cast<NearFlag*>(at + parallel::cache_line),
          at + 2 * parallel::cache_line, parallel::whole_lines(bytes)};
}

// The ranks of a simulated machine are in one process, so that all of them share its memory.
void NearMemory::allocate(const RoundPlace& place, std::int64_t bytes) {
  node_ = ranks_of_node(Inside::comm(place.group));
  const MPI_Comm node = node_.get();
  int size = 0, me = rank_of_all();
  MPI_Comm_size(node, &size);
  ranks_.resize(size);
  MPI_Allgather(&me, 1, MPI_INT, ranks_.data(), 1, MPI_INT, node);
  bases_.resize(size);
  if (simulated()) {
    memory_ =
        static_cast<std::byte*>(allocate_message_buffer(std::max(bytes, parallel::cache_line)));
    MPI_Allgather(&memory_, sizeof memory_, MPI_BYTE, bases_.data(), sizeof memory_, MPI_BYTE,
                  node);
    return;
  }
  void* base = nullptr;
  MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, node, &base, &window_);
  memory_ = static_cast<std::byte*>(base);
  if (bytes > 0) std::memset(memory_, 0, static_cast<std::size_t>(bytes));
  for (int rank = 0; rank < size; ++rank) {
    MPI_Aint length = 0;
    int unit = 0;
    void* there = nullptr;
    MPI_Win_shared_query(window_, rank, &length, &unit, &there);
    bases_[rank] = static_cast<std::byte*>(there);
  }
  MPI_Barrier(node);
}

std::byte* NearMemory::memory_of(const Link& link) const {
  const auto found = std::ranges::find(ranks_, link.peer);
  if (found == ranks_.end())
    throw std::invalid_argument(
        "communication.node_size places ranks " + std::to_string(rank_of_all()) + " and " +
        std::to_string(link.peer) +
        " on one node, but they run on two: they share no memory, which `shared` needs");
  return bases_[found - ranks_.begin()];
}

NearMemory::~NearMemory() {
  if (simulated())
    free_message_buffer(memory_);
  else if (!mpi_has_ended())
    MPI_Win_free(&window_);
}

}  // namespace phasewise::comm
