// Memory that the ranks of a node share. Each near message has two halves, which are used in turn,
// and flags beside them.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "comm/carrier.hpp"
#include "comm/mpi/posted.hpp"
#include "comm/protocols/window.hpp"
#include "parallel/cache_line.hpp"

namespace phasewise::comm {

// It has a cache line of its own. `time` is the sender's, by rank 0's clock [s].
struct alignas(parallel::cache_line) NearFlag {
  std::atomic<std::int64_t> count;
  double time;
};

// Waits until a flag has reached a count; returns the time beside the count.
double await(const NearFlag& flag, std::int64_t count);
void raise(NearFlag& flag, std::int64_t count, double time);

class NearMemory {
 public:
  // Collective over the group. All links must be near. Throws std::invalid_argument if a rank that
  // the study places on this node runs on another one.
  NearMemory(const RoundPlace& place, const std::vector<Link>& sends,
             const std::vector<Link>& receives);
  ~NearMemory();
  NearMemory(const NearMemory&) = delete;
  NearMemory& operator=(const NearMemory&) = delete;

  // The i-th message received, in this rank's memory, and its flag.
  std::byte* received(std::size_t i, int half) const { return data_of(receives_[i], half); }
  NearFlag& arrival(std::size_t i) const { return *receives_[i].flag; }
  // The flag by which this rank says that it has unpacked the i-th message received.
  NearFlag& unpacked_here(std::size_t i) const { return *receives_[i].credit; }
  // The i-th message sent, in its receiver's memory, and its flag.
  std::byte* sent(std::size_t i, int half) const { return data_of(sends_[i], half); }
  NearFlag& departure(std::size_t i) const { return *sends_[i].flag; }
  NearFlag& unpacked_there(std::size_t i) const { return *sends_[i].credit; }

 private:
  // A message's flags, followed by its two halves.
  struct Slot {
    NearFlag *flag, *credit;
    std::byte* data;
    std::int64_t size;  // of a half [B]
  };
  static std::byte* data_of(const Slot& slot, int half) { return slot.data + half * slot.size; }
  static Slot slot_at(std::byte* at, std::int64_t bytes);
  void allocate(const RoundPlace& place, std::int64_t bytes);
  std::byte* memory_of(const Link& link) const;

  OwnedComm node_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* memory_ = nullptr;
  std::vector<std::byte*> bases_;  // one of each of the node's ranks
  std::vector<int> ranks_;         // the node's ranks among all
  std::vector<Slot> sends_, receives_;
};

}  // namespace phasewise::comm
