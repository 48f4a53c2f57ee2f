// Memory of this rank that the other end of a message writes to, or reads from, by itself. It has
// two halves that are used in turn: while one is being unpacked, the next exchange can fill the
// other.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/carrier.hpp"
#include "comm/mpi/posted.hpp"

namespace phasewise::comm {

// A message of a round to or from another rank, without its data.
struct Link {
  int peer;       // among all
  int peer_here;  // in the group
  std::int64_t bytes;
};
std::vector<Link> links_of(const RoundPlace& place,
                           const std::vector<exchange::Transfer>& transfers);

// Tells the other end of each link of `mine` a value, and learns the values of `theirs`; the k-th
// link with a peer at one end is the k-th at the other.
template <class T>
std::vector<T> told(const Communicator& group, const std::vector<T>& values,
                    const std::vector<Link>& mine, const std::vector<Link>& theirs) {
  constexpr int tag = 0;
  const MPI_Comm comm = Inside::comm(group);
  std::vector<T> result(theirs.size());
  std::vector<MPI_Request> requests(mine.size() + theirs.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < theirs.size(); ++i)
    MPI_Irecv(&result[i], sizeof(T), MPI_BYTE, theirs[i].peer_here, tag, comm, &requests[at++]);
  for (std::size_t i = 0; i < mine.size(); ++i)
    MPI_Isend(&values[i], sizeof(T), MPI_BYTE, mine[i].peer_here, tag, comm, &requests[at++]);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return result;
}

class HalvedWindow {
 public:
  // Collective over the group. The links of `mine` have their place in this rank's memory, those of
  // `theirs` in the memory of their peers; the k-th link with a peer at one end is the k-th at the
  // other.
  HalvedWindow(const RoundPlace& place, const std::vector<Link>& mine,
               const std::vector<Link>& theirs);
  ~HalvedWindow();
  HalvedWindow(const HalvedWindow&) = delete;
  HalvedWindow& operator=(const HalvedWindow&) = delete;

  MPI_Win get() const { return window_; }
  // Where the i-th of `mine` is in the current half, or in the given one.
  std::byte* mine(std::size_t i) const { return mine(i, half_); }
  std::byte* mine(std::size_t i, int half) const { return memory_ + half * size_ + mine_[i]; }
  // Where the i-th of `theirs` is, in bytes from the beginning of its peer's memory.
  MPI_Aint theirs(std::size_t i) const { return half_ * theirs_[i].size + theirs_[i].at; }
  // Makes what this rank wrote into its memory visible to others.
  void sync() const;
  int half() const { return half_; }
  void next_half() { half_ = 1 - half_; }

 private:
  struct There {
    std::int64_t at, size;  // size of a half of the peer's memory
  };
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* memory_ = nullptr;
  std::int64_t size_ = 0;  // of a half [B]
  std::vector<std::int64_t> mine_;
  std::vector<There> theirs_;
  int half_ = 0;
};

// Starts to write a message to place `at` of the peer's memory, or to read it from there.
void put(const Posting& posting, const Message& message, int peer_here, MPI_Aint at,
         MPI_Win window);
void get(const Posting& posting, const Message& message, int peer_here, MPI_Aint at,
         MPI_Win window);

// What protocols whose data arrive in a window share.
class Windowed : public Carrier {
 public:
  Windowed(const RoundPlace& place, exchange::Overhead overhead)
      : group_(place.group),
        channel_(place.exchange->channel),
        overhead_(overhead),
        sends_(links_of(place, place.messages().sends)),
        receives_(links_of(place, place.messages().receives)),
        window_(place, receives_, sends_) {}

  bool gives_memory() const override { return true; }
  std::byte* incoming(std::size_t i) override { return window_.mine(i); }
  bool blocks() const override { return true; }

 protected:
  Posting begin(const RoundMessages& messages, bool timed) const {
    Posting posting(group_, messages.phase, channel_, overhead_, timed);
    posting.record(messages.sends, messages.receives);
    return posting;
  }
  void put_all(const Posting& posting, const RoundMessages& messages) const {
    for (std::size_t i = 0; i < sends_.size(); ++i)
      put(posting, messages.sends[i], sends_[i].peer_here, window_.theirs(i), window_.get());
  }

  const Communicator& group_;
  exchange::Channel channel_;
  exchange::Overhead overhead_;
  std::vector<Link> sends_, receives_;
  HalvedWindow window_;
};

}  // namespace phasewise::comm
