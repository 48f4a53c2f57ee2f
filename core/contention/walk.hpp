// Follows every rank through its program. A derived class decides how long messages take.
#pragma once

#include <cstdint>
#include <vector>

#include "contention/program.hpp"

namespace phasewise::contention {

// Seconds of one rank, multiplied by the weights.
struct RankTimes {
  // By phase: the time that the rank spends in communication, and the part of it that passes before
  // the last of the senders has posted its message.
  std::vector<double> communicating, waiting;
  double computing = 0.0;  // packing and storing included
};
using Execution = std::vector<RankTimes>;

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
  // The rank computes until `then`, when go_on is to be called.
  virtual void sleep(int rank, double then) = 0;

  // Starts all ranks and follows each one to where it has to wait. They start within some latencies
  // [s] of each other: if senders do not wait for receivers, ranks that start together would stay
  // together for ever, which real ranks do not. Time before the last start does not count.
  void begin(double latency);
  // Follows the rank to where it has to wait, or computes.
  void go_on(int rank, double now);
  // Ends that waited for this message go on.
  void arrive(int id, double now);
  // Throws std::logic_error if a rank has not reached the end of its program.
  Execution finish();

 private:
  enum class Stage : std::uint8_t { idle, packing, posted, storing };
  struct SequenceState {
    int round = 0;    // under way, or the next
    int pending = 0;  // messages of the round that are not done
    Stage stage = Stage::idle;
    double last_sent = 0.0;  // when the last of the round's senders posted its message
  };
  struct RankState {
    std::size_t next = 0;    // instruction
    bool computing = false;  // whether that instruction is a computation under way
    int waiting_for = -1;    // sequence
    double since = 0.0;      // when it began to wait
    std::vector<SequenceState> sequences;
    RankTimes times;
  };
  struct End {
    int rank = -1, sequence = 0;
  };
  struct MessageState {
    End sender, receiver;  // known once they have posted it
    std::int64_t bytes = 0;
    double sent = 0.0;  // when the sender posted it
    bool arrived = false;
  };
  enum class Step { passed, blocked, asleep };

  const ProgramRound& round_of(int rank, int sequence) const;
  bool done(int rank, int sequence) const;
  Step advance(int rank, const Instruction& instruction, double now);
  Step pass_round(int rank, int sequence, bool waits, double now);
  void post(int rank, int sequence, double now);
  void one_done(const End& end, double sent, double now);
  void wait(int rank, int sequence, double now);
  // Counts the time as computing, and sleeps; false if it takes no time.
  bool compute(int rank, double seconds, double weight, double now);

  const Program& program_;
  std::int64_t eager_;
  double last_start_ = 0.0;
  std::vector<MessageState> messages_;
  std::vector<RankState> ranks_;
};

}  // namespace phasewise::contention
