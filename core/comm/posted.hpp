// Shared by the sources of point-to-point messages and included by nothing else.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "comm/handle.hpp"

namespace phasewise::comm {

// The time if it is recorded; otherwise 0, without reading the clock.
inline double now(const Recorder& recorder) {
  return recorder.recording() ? parallel::clock().now() : 0.0;
}

// The count and type with which MPI, whose counts are int, gets a message. Both ends choose the
// same.
struct MpiCount {
  int count;
  MPI_Datatype type;
};
// Throws std::length_error if the message is longer than MPI can count.
MpiCount mpi_count(const Message& message, const std::string& phase);

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
  std::vector<End> ends = {};  // only if events are kept
  std::size_t left = 0;        // not yet complete

  void record_receive(const Message& message);
  void record_send(const Message& message);
  void complete(std::size_t i, double end);
  // Seconds after `from` at which the sender of request i began; 0 if the request is a send or was
  // complete before.
  double begun_after(std::size_t i, const MPI_Status& status, double from) const;
  // Both return how long after `from` the last of the senders began.
  double wait_for_all(double from);
  double wait_one_by_one(double from);
};

}  // namespace phasewise::comm
