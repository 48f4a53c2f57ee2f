// What the sources of point-to-point messages share, and nobody else includes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "comm/handle.hpp"

namespace phasewise::comm {

// The clock where it is recorded; it costs nothing where it is not.
inline double now(const Recorder& recorder) {
  return recorder.recording() ? parallel::clock().now() : 0.0;
}

// How MPI, whose counts are int, is given a message: both ends choose alike.
struct Counted {
  int count;
  MPI_Datatype type;
};
// Throws std::length_error where MPI cannot count it.
Counted counted(const Message& message, const std::string& phase);

// Receives first, then sends.
struct Pending::Posted {
  struct End {
    int peer;
    std::int32_t number;
    std::int64_t bytes;
  };

  Recorder& recorder;
  const TagClock& clock;
  int phase;
  Channel channel;
  double start;  // s
  bool timed;    // whether tags carry the senders' start times
  std::size_t receives = 0;
  std::vector<MPI_Request> requests = {};
  std::vector<End> ends = {};  // where events are kept
  std::size_t left = 0;        // not yet complete

  void record_receive(const Message& message);
  void record_send(const Message& message);
  void complete(std::size_t i, double end);
  // Seconds after `from` at which the sender of request i began; none for a request that is no
  // receive or was complete before.
  double begun_after(std::size_t i, const MPI_Status& status, double from) const;
  // Both return how long after `from` the last of the senders began.
  double wait_for_all(double from);
  double wait_one_by_one(double from);
};

}  // namespace phasewise::comm
