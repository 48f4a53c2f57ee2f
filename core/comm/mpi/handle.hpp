// MPI's own types and the recording of library calls. Only the sources of Communicator include this
// file.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "parallel/clock.hpp"

namespace phasewise::comm {

// SimGrid's mpi.h is its smpi.h.
#if defined(SMPI_H)
#define PHASEWISE_SIMULATED 1
#else
#define PHASEWISE_SIMULATED 0
#endif
inline constexpr bool for_simulation = PHASEWISE_SIMULATED != 0;

// MPI counts are int.
inline constexpr std::int64_t largest_count = 2147483647;

// Converts a count of values, bytes or pieces for MPI; throws std::length_error if it is too large.
inline int mpi_int(std::int64_t count) {
  if (count <= largest_count) return static_cast<int>(count);
  throw std::length_error("a message of " + std::to_string(count) +
                          " parts is longer than MPI can count (" + std::to_string(largest_count) +
                          "); use more ranks, or settings of the study that send less at once");
}

// Whether MPI has ended: what belonged to it is then gone, and must not be freed.
inline bool mpi_has_ended() {
  int ended = 0;
  MPI_Finalized(&ended);
  return ended != 0;
}

// An MPI communicator that the destructor frees.
class OwnedComm {
 public:
  explicit OwnedComm(MPI_Comm comm = MPI_COMM_NULL) : comm_(comm) {}
  OwnedComm(OwnedComm&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  OwnedComm& operator=(OwnedComm&& other) noexcept {
    std::swap(comm_, other.comm_);
    return *this;
  }
  ~OwnedComm() {
    if (!mpi_has_ended() && comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_;
};

// Collective. No message on the copy can match one on `comm`.
inline OwnedComm duplicate(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  return OwnedComm(copy);
}

// Collective: the ranks of `comm` that are on the node of this one.
OwnedComm ranks_of_node(MPI_Comm comm);

// Encodes the time at which a message is posted in its tag: ticks of rank 0's clock, modulo a power
// of two.
class TagClock {
 public:
  TagClock() = default;
  TagClock(int largest_tag, double offset);
  double offset() const { return offset_; }
  int tag(double time) const { return static_cast<int>(ticks(time) & mask_); }
  // Seconds from this rank's `time` to the nearest moment that has this tag.
  double after(int tag, double time) const;

 private:
  std::int64_t ticks(double time) const {
    return static_cast<std::int64_t>((time + offset_) * ticks_per_second_);
  }
  std::int64_t mask_ = 0;
  double ticks_per_second_ = 1e6;
  double offset_ = 0.0;  // s
};

// What all groups made from one world share.
struct World {
  std::array<OwnedComm, exchange::channels>
      channel;  // so that no exchange receives another's messages
  TagClock clock;
  mutable std::vector<std::unique_ptr<Pending::Posted>> idle;  // rounds that are done
};

struct Communicator::Handle {
  OwnedComm comm;
  std::shared_ptr<const World> world;
  MPI_Comm get() const { return comm.get(); }
};

// What the protocols' sources need from a communicator.
struct Inside {
  static MPI_Comm comm(const Communicator& group) { return group.handle_->get(); }
  static const std::shared_ptr<const World>& world(const Communicator& group) {
    return group.handle_->world;
  }
};

// Collective: the seconds to add to this rank's clock to get that of rank 0.
double measure_clock_offset(MPI_Comm comm);
int largest_tag();

// A call of the library, recorded from construction to destruction.
class LibraryCall {
 public:
  LibraryCall(Recorder& recorder, const PhaseKey& key, std::int64_t bytes)
      : recorder_(recorder),
        phase_(key.in(recorder)),
        in_(recorder, phase_),
        start_(parallel::clock().now()) {
    recorder_.asked(phase_, bytes);
  }
  ~LibraryCall() { recorder_.communicated(phase_, start_, parallel::clock().now()); }
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

 private:
  Recorder& recorder_;
  int phase_;
  InPhase in_;
  double start_;  // s
};

}  // namespace phasewise::comm
