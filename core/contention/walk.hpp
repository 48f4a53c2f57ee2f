// Follows every rank through its program. A derived class decides how long messages take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contention/matching.hpp"
#include "contention/program.hpp"
#include "parallel/cache_line.hpp"

namespace phasewise::contention {

// The seconds of one rank, multiplied by the weights.
struct RankTimes {
  // By phase: the time that the rank spends in communication, and the part of it that passes before
  // the last sender has posted its message.
  std::vector<double> communicating, waiting;
  double computing = 0.0;     // including packing and storing
  std::vector<double> marks;  // s, when the rank came to each mark
};
using Execution = std::vector<RankTimes>;

class Walk {
 public:
  // Messages shorter than `eager` bytes depart without waiting for the receiver.
  Walk(const Program& program, std::int64_t eager);
  virtual ~Walk() = default;
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

 protected:
  struct Departure {
    int id, from, to;
    std::int64_t bytes;
    Company company;
  };
  // Called once for each message, when it may depart. Its id is free again when it has arrived and
  // its receiver has taken it.
  virtual void launch(const Departure& departure, double now) = 0;
  // The rank computes until `then`; go_on must be called at that time.
  virtual void sleep(int rank, double then) = 0;

  // Starts all ranks and follows each one to where it has to wait. They start within some latencies
  // [s] of each other: if senders do not wait for receivers, ranks that start together would stay
  // together for ever, which real ranks do not. The time before the last start does not count; nor
  // does the time by which a rank waits longer in its first wait since it started early.
  void begin(double latency);
  // Follows the rank to where it has to wait, or computes.
  void go_on(int rank, double now);
  // The ends that waited for this message go on.
  void arrive(int id, double now);
  // Throws WaitsForEver if a rank has not reached the end of its program, and OneEnd if a message
  // has only one end.
  Execution finish();

 private:
  // A message that was posted by itself, or will be; `rank` is -1 if nobody waits for it.
  struct Request {
    int rank = -1;
    bool done = true;
    bool awaited = false;  // by the rank's present wait
    double sent = 0.0;     // when its sender posted it, if it is received
  };
  // One end of a message: its number in `Matching`, and how it was posted.
  struct End {
    int number;
    int rank;
    const ProgramRound& round;
    std::int32_t channel;
  };
  enum class Stage : std::uint8_t { idle, packing, calling, posted, closing, storing };
  // A sequence of rounds under way, one at a time on each channel of a rank. What every round needs
  // lies together, since ranks take turns and no rank's data stay in a cache.
  struct alignas(parallel::cache_line) Flight {
    const ProgramRound* round = nullptr;  // under way, or the next one
    const ProgramRound* last = nullptr;   // end of the rounds
    const Send* sends = nullptr;          // the rank's sends, and where it receives from
    const int* receives = nullptr;
    double weight = 0.0;     // that of the sequence
    std::int32_t tag = 0;    // likewise
    double last_sent = 0.0;  // when the last of the round's senders posted its message
    int pending = 0;         // messages of the round that are not done
    int kept = 0;            // messages of earlier rounds that are not done
    Stage stage = Stage::idle;

    bool done() const { return round == last; }
    // Whether no message keeps the round from ending.
    bool passes() const { return pending == 0 && (kept == 0 || !round->waits_for_all); }
    float round_weight() const { return static_cast<float>(weight * round->weight); }
  };
  struct RankState {
    const Instruction* next = nullptr;
    const Instruction* end = nullptr;
    double start = 0.0;      // of the turn
    double since = 0.0;      // when it began to wait
    double computing = 0.0;  // seconds so far
    int waiting_for = -1;    // flight, or its_requests
    int awaited = 0;         // requests that are not done
    double last_sent = 0.0;  // when the last of the awaited messages was posted
    bool asleep = false;     // whether the next instruction is a computation under way
    bool waited = false;     // whether it has ever waited
    std::vector<double> marks{};
  };
  struct PhaseTimes {
    double communicating = 0.0, waiting = 0.0;
  };
  enum class Step { passed, blocked, asleep };
  // Stands for a flight where a rank waits for messages that were posted one by one.
  static constexpr int its_requests = -2;

  int flight_of(int rank, const Instruction& instruction) const {
    return rank * channels_ + instruction.channel;
  }
  int rank_of(int flight) const { return flight / channels_; }
  // The number of an end that belongs to a request of a rank, after those of all flights.
  int end_of(int rank, int request) const {
    const int place = request < 0 ? static_cast<int>(requests_.size()) - 1
                                  : first_request_[static_cast<std::size_t>(rank)] + request;
    return static_cast<int>(flights_.size()) + place;
  }
  // For a rank that never comes to its end.
  bool awaits(int rank, int number) const;
  int awaited_phase(int rank) const;
  std::string who_waits(int first) const;
  void start(int rank, const Instruction& instruction);
  Step advance(int rank, const Instruction& instruction, double now);
  bool waits(int rank, const Instruction& instruction) const;
  Step pass_round(int flight, bool waits, double now);
  void post(int flight, double now);
  // Both return whether this end is already done.
  bool post_receive(const End& end, int from, double now, double& last_sent);
  bool post_send(const End& end, const Send& send, double now);
  Step post_by_request(int rank, const Instruction& instruction, double now);
  Step wait_for_requests(int rank, const Instruction& instruction, double now);
  void request_done(Request& request, double sent, double now);
  // The time from which a rank's present wait counts.
  double counted_from(RankState& state) const;
  // Adds what a rank waited for since it began to wait.
  void count_wait(int rank, int phase, float weight, bool tells_waiting, double last_sent,
                  double now);
  // Called when one end of a message is done; `kept` says whether the message outlived its round.
  void one_done(int flight, bool kept, double sent, double now);
  // Counts the time as communication, and sleeps; false if it takes no time.
  bool call(int rank, int phase, float weight, double seconds, double now);
  // Counts the time as computing, and sleeps; false if it takes no time.
  bool compute(int rank, double seconds, double weight, double now);

  const Program& program_;
  std::int64_t eager_;
  int channels_ = 1;
  double last_start_ = 0.0;
  Matching messages_;
  std::vector<RankState> ranks_;
  std::vector<Flight> flights_;    // of each rank and channel
  std::vector<PhaseTimes> times_;  // of each rank and phase
  // The requests of all ranks, and one that stands for those that nobody waits for.
  std::vector<Request> requests_;
  std::vector<int> first_request_;  // of each rank
};

}  // namespace phasewise::contention
