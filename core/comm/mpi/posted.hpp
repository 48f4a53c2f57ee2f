// Only the sources that post point-to-point messages include this file.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/mpi/handle.hpp"

namespace phasewise::comm {

void pass_overhead(exchange::Overhead kind, std::size_t messages);
// Lets simulated time pass for what a message costs at one end beyond the latency.
inline void charge_overhead(exchange::Overhead kind, std::size_t messages) {
  if constexpr (for_simulation) pass_overhead(kind, messages);
}

// The count and type by which MPI, whose counts are int, takes a message. Both ends choose the
// same.
struct MpiCount {
  int count;
  MPI_Datatype type;
};
[[noreturn]] void too_long(const Message& message, const std::string& phase);
// Throws std::length_error if the message is longer than MPI can count.
inline MpiCount mpi_count(const Message& message, const std::string& phase) {
  const bool doubles = message.bytes % 8 == 0;
  const std::int64_t count = doubles ? message.bytes / 8 : message.bytes;
  if (count > largest_count) too_long(message, phase);
  return {static_cast<int>(count), doubles ? MPI_DOUBLE : MPI_BYTE};
}

// The requests are receives first, then sends.
struct Pending::Posted {
  struct End {
    int peer;
    std::int32_t number;
    std::int64_t bytes;
  };

  Recorder* recorder = nullptr;
  const World* world = nullptr;
  int phase = 0;
  exchange::Channel channel = exchange::common_channel;
  double start = 0.0;      // s
  bool new_here = false;   // nothing has followed its posting yet
  double posted_at = 0.0;  // s
  bool timed = true;       // whether tags carry the senders' start times
  exchange::Overhead overhead = exchange::Overhead::two_sided;
  std::size_t receives = 0;
  std::vector<MPI_Request> requests;
  std::vector<End> ends;  // only if events are kept
  std::size_t left = 0;   // requests that are not yet complete
  std::vector<MPI_Status> statuses;
  std::vector<int> which;  // indices of completed requests

  // Returns an idle object or a new one, without requests.
  static PostedPointer take(const World& world);

  void record_receive(const Message& message);
  void record_send(const Message& message);
  // Records the end of message i as an event, if events are kept.
  void record_end(std::size_t i, double end);
  // The seconds after `from` at which the sender of request i began; 0 if the request is a send or
  // was complete before `from`.
  double begun_after(std::size_t i, const MPI_Status& status, double from) const;
  // The time at which this rank came back to the messages, which it may never have left.
  double resumed();
  // Both return how long after `from` the last sender began.
  double wait_for_all(double from);
  double wait_one_by_one(double from);
  void all_done() const { charge_overhead(overhead, receives); }
};

// A round whose messages are being posted: the record of its start, and the requests.
class Posting {
 public:
  Posting(const Communicator& group, int phase, exchange::Channel channel,
          exchange::Overhead overhead, bool timed);

  MPI_Comm comm() const { return comm_; }
  // The tag of messages that begin now; it carries that time.
  int tag() const { return posted_->world->clock.tag(posted_->start); }
  double start() const { return posted_->start; }
  exchange::Overhead overhead() const { return posted_->overhead; }
  const std::string& phase_name() const { return posted_->recorder->names()[posted_->phase]; }
  MpiCount count(const Message& message) const { return mpi_count(message, phase_name()); }
  Pending::Posted& posted() { return *posted_; }

  // The following record messages, receives first.
  void expect(const Message& message) { posted_->record_receive(message); }
  void give(const Message& message) { posted_->record_send(message); }
  void record(std::span<const Message> sends, std::span<const Message> receives) {
    for (const Message& message : receives) expect(message);
    for (const Message& message : sends) give(message);
  }
  MPI_Request* request() { return &posted_->requests.emplace_back(MPI_REQUEST_NULL); }
  // Notes how late the sender of a received message was.
  void received(const MPI_Status& status);
  // Does the same if the sender's time, by this rank's clock, came with a flag.
  void begun(double time) { late_ = std::max(late_, time - start()); }

  // Says that the requests are under way: receives first, then sends.
  [[nodiscard]] Pending under_way();
  // Says that everything has arrived.
  void finished();

 private:
  MPI_Comm comm_;
  Pending::PostedPointer posted_;
  double late_ = 0.0;
};

}  // namespace phasewise::comm
