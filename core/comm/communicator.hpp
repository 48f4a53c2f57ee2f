// A group of ranks and the exchanges between them, each under the name of its phase.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/recorder.hpp"

namespace phasewise::comm {

// Starts MPI on first use and ends it when the process ends; a second start by somebody else is
// respected.
void initialise();
// Ends all ranks at once with this exit status.
[[noreturn]] void abort_all(int status);
// The MPI library in use, and the one phasewise was built with.
std::string library_version();
std::string built_with_version();

// A point-to-point message of doubles; messages between two ranks match in the order in which both
// list them.
struct Message {
  int peer;
  double* data;
  std::int64_t count;
};

class Communicator {
 public:
  // All ranks. The recorder outlives the communicator.
  static Communicator world(Recorder& recorder);
  ~Communicator();
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;

  // Collective: the ranks that name the same colour form a group, ordered by their rank here.
  Communicator split(int color) const;

  int rank() const { return rank_; }
  int size() const { return size_; }

  void barrier() const;
  // Element by element over all ranks, in place, the result everywhere.
  void sum(const std::string& phase, std::span<double> values) const;
  void sum(const std::string& phase, std::span<std::int64_t> values) const;
  void max(const std::string& phase, std::span<double> values) const;
  // Sum over all ranks; rank r gets the next counts[r] values, at the start of `values`. Sums must
  // be exact in any order.
  void reduce_scatter(const std::string& phase, std::span<double> values,
                      const std::vector<int>& counts) const;
  // Rank r gives counts[r] values, in their place among all; everyone gets all.
  void all_gather(const std::string& phase, std::span<double> values,
                  const std::vector<int>& counts) const;
  // All sends and receives at once.
  void exchange(const std::string& phase, const std::vector<Message>& sends,
                const std::vector<Message>& receives) const;
  std::vector<std::vector<std::byte>> gather(const std::string& phase,
                                             std::span<const std::byte> mine) const;  // on rank 0
  std::vector<std::byte> broadcast(const std::string& phase, std::span<const std::byte> mine) const;

 private:
  struct Handle;
  Communicator(std::unique_ptr<Handle> handle, Recorder& recorder);
  std::unique_ptr<Handle> handle_;
  Recorder* recorder_;
  int rank_;
  int size_;
};

}  // namespace phasewise::comm
