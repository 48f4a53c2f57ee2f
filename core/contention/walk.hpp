// Follows every rank through its program. A derived class decides how long messages take.
#pragma once

#include <cstdint>
#include <vector>

#include "contention/program.hpp"

namespace phasewise::contention {

struct Execution {
  std::vector<std::vector<double>> seconds;  // [rank][phase], multiplied by the weights
};

class Walk {
 public:
  // Messages shorter than `eager` bytes depart without the receiver.
  Walk(const Program& program, std::int64_t eager);
  virtual ~Walk() = default;
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

 protected:
  struct Departure {
    int id, from, to;
    std::int64_t bytes;
  };
  // Called once for each message, when it may depart.
  virtual void launch(const Departure& departure, double now) = 0;

  // Starts all ranks and follows each one to where it has to wait. They start within some latencies
  // [s] of each other: if senders do not wait for receivers, ranks that start together would stay
  // together for ever, which real ranks do not. Time before the last start does not count.
  void begin(double latency);
  // Ends that waited for this message go on.
  void arrive(int id, double now);
  // Throws std::logic_error if a rank has not reached the end of its program.
  Execution finish();

 private:
  struct SequenceState {
    int round = 0;    // under way, or the next
    int pending = 0;  // messages of the round that are not done
    bool posted = false;
  };
  struct RankState {
    std::size_t next = 0;  // instruction
    int waiting_for = -1;  // sequence
    double since = 0.0;    // when it began to wait
    std::vector<SequenceState> sequences;
    std::vector<double> seconds;
  };
  struct End {
    int rank = -1, sequence = 0;
  };
  struct MessageState {
    End sender, receiver;  // known once they have posted it
    std::int64_t bytes = 0;
    bool arrived = false;
  };
  const ProgramRound& round_of(int rank, int sequence) const;
  bool done(int rank, int sequence) const;
  void go_on(int rank, double now);
  bool pass_round(int rank, int sequence, double now);
  void post(int rank, int sequence, double now);
  void one_done(const End& end, double now);

  const Program& program_;
  std::int64_t eager_;
  double last_start_ = 0.0;
  std::vector<MessageState> messages_;
  std::vector<RankState> ranks_;
};

}  // namespace phasewise::contention
