// A group of ranks and the exchanges between them, each under the name of its phase.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/messages.hpp"
#include "comm/recorder.hpp"
#include "exchange/exchange.hpp"

namespace phasewise::comm {

// Starts MPI, and ends it when the process ends; does nothing if MPI runs already. `threads` tells
// the library whether the program has several: messages of some libraries then take longer. Under
// SimGrid parallel::clock() becomes the simulated clock.
void initialise(bool threads = true);
// Ends MPI if `initialise` started it. `main` calls it as its last act, because a simulated machine
// does not wait for the process to end.
void finalise();
// This process's rank among all ranks. Not collective.
int rank_of_all();
// Ends all ranks at once with this exit status.
[[noreturn]] void abort_all(int status);
// Whether this was built for SimGrid's simulated machines.
bool simulated();
// Sets the rates at which parallel::clock().charge advances simulated time: by the longer of the
// times of the flops and of the bytes. With a rate of 0 that part of the work is not charged. Does
// nothing on a real machine.
void set_rates(double flops_per_second, double bytes_per_second);
// Sets how long messages and rounds take beyond the network on a simulated machine; does nothing on
// a real one.
void set_overheads(const exchange::Overheads& seconds);
// Lets simulated time pass for what a round of an exchange costs besides its messages; does nothing
// on a real machine.
void charge_round();
// Lets simulated time pass [s]; does nothing on a real machine.
void pass(double seconds);
// Whether the MPI library in use says that it sends from and receives into a GPU's memory. Call it
// after MPI has started.
bool library_takes_gpu_memory();
// The MPI library in use, and the one that phasewise was built with.
std::string library_version();
std::string built_with_version();

// A phase, given by its index in the recorder or by its name; converts implicitly from either.
// NOLINTBEGIN(google-explicit-constructor)
class PhaseKey {
 public:
  PhaseKey(int index) : index_(index) {}
  PhaseKey(std::string_view name) : name_(name) {}
  PhaseKey(const std::string& name) : name_(name) {}
  PhaseKey(const char* name) : name_(name) {}
  int in(Recorder& recorder) const { return index_ < 0 ? recorder.phase(name_) : index_; }

 private:
  int index_ = -1;
  std::string_view name_;
};
// NOLINTEND(google-explicit-constructor)

// An interval of time by parallel::clock() [s].
struct Span {
  double start = 0.0, end = 0.0;
};

class Communicator {
 public:
  // The communicator of all ranks. The recorder must outlive the communicator, which must outlive
  // its pending messages.
  static Communicator world(Recorder& recorder);
  ~Communicator();
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;

  // Collective: the ranks that give the same color form a group, ordered by key and then by their
  // rank here; without a key, by their rank here.
  Communicator split(int color) const { return split(color, rank_); }
  Communicator split(int color, int key) const;

  int rank() const { return rank_; }
  int size() const { return size_; }
  Recorder& recorder() const { return *recorder_; }
  // The seconds to add to this rank's clock to get the clock of rank 0 of all ranks.
  double clock_offset() const;
  // Collective: the node of each rank here, with nodes numbered in the order of their first ranks.
  std::vector<int> nodes() const;

  // Posts all receives and then all sends. Peers are ranks among all ranks, whatever this group is.
  // The tag carries the sender's start time, by which the receiver detects a late sender.
  [[nodiscard]] Pending post(const PhaseKey& phase, exchange::Channel channel,
                             std::span<const Message> sends,
                             std::span<const Message> receives) const;
  // post and wait on common_channel, as one call of the phase.
  void exchange(const PhaseKey& phase, const std::vector<Message>& sends,
                const std::vector<Message>& receives) const;

  // Unrecorded messages of at most 2 GB, to measure the machine. both_ways sends to rank `to` and
  // receives from rank `from` at the same time (-1: none). In round_trip the rank that leads sends
  // first, and its peer sends back what it received.
  Span both_ways(std::span<const std::byte> out, int to, std::span<std::byte> in, int from) const;
  Span round_trip(std::span<std::byte> data, int peer, bool leads) const;

  // Collectives of the library, recorded by the volume requested. Each is one call of its phase,
  // unless this rank is already in that phase. Throws std::length_error if a count exceeds MPI's
  // int.
  void barrier() const;
  // The maximum of each value over all ranks, unrecorded.
  void agree(std::span<std::int64_t> values) const;
  // Sums element by element over all ranks, in place; all ranks get the result.
  void sum(const PhaseKey& phase, std::span<double> values) const;
  void sum(const PhaseKey& phase, std::span<std::int64_t> values) const;
  void max(const PhaseKey& phase, std::span<double> values) const;
  // Sums over all ranks; rank r gets the next sizes[r] bytes, at the start of `values`. The sums
  // must be exact in any order.
  void reduce_scatter(const PhaseKey& phase, std::span<double> values,
                      std::span<const std::int64_t> sizes) const;
  // Rank r gives sizes[r] bytes, at their place among all bytes; every rank gets all bytes.
  void all_gather(const PhaseKey& phase, std::span<std::byte> bytes,
                  std::span<const std::int64_t> sizes) const;
  // Does the same by a gather to rank 0 and a broadcast from there.
  void gather_and_broadcast(const PhaseKey& phase, std::span<std::byte> bytes,
                            std::span<const std::int64_t> sizes) const;
  // Sends region sends[r] of `from` to rank r and receives region receives[r] of `to` from it,
  // without packing. The sender's and the receiver's region have the same number of bytes, and
  // begin within 2 GB.
  void transpose(const PhaseKey& phase, const std::byte* from,
                 std::span<const exchange::Region> sends, std::byte* to,
                 std::span<const exchange::Region> receives) const;
  std::vector<std::vector<std::byte>> gather(const PhaseKey& phase,
                                             std::span<const std::byte> mine) const;  // on rank 0
  std::vector<std::byte> broadcast(const PhaseKey& phase, std::span<const std::byte> mine) const;

 private:
  friend class PendingCollective;
  friend struct Inside;
  struct Handle;
  Communicator(std::unique_ptr<Handle> handle, Recorder& recorder);
  std::unique_ptr<Handle> handle_;
  Recorder* recorder_;
  int rank_;
  int size_;
};

}  // namespace phasewise::comm
