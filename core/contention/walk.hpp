// Follows what every rank does, whatever decides how long its messages take: a base for that.
#pragma once

#include <cstdint>
#include <vector>

#include "contention/program.hpp"

namespace phasewise::contention {

struct Execution {
  std::vector<std::vector<double>> seconds;  // [rank][phase], weights counted
};

class Walk {
 public:
  // Messages shorter than `eager` bytes set off without the receiver.
  Walk(const Program& program, std::int64_t eager);
  virtual ~Walk() = default;
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

 protected:
  struct Departure {
    int id, from, to;
    std::int64_t bytes;
  };
  // Told once of each message, when it may set off.
  virtual void launch(const Departure& departure, double now) = 0;

  // All ranks, until they have to wait. They begin within some latencies [s] of each other: where
  // senders do not wait for receivers, ranks that begin together would stay together for ever, as
  // none do that are not quite alike. What passes before the last one begins counts for nothing.
  void begin(double latency);
  // Both ends go on where they were waiting for this message.
  void arrive(int id, double now);
  // Throws std::logic_error where a rank has not come to its end.
  Execution finish();

 private:
  struct FlightState {
    int round = 0;    // under way, or the next
    int pending = 0;  // messages of the round that are not done
    bool posted = false;
  };
  struct RankState {
    std::size_t act = 0;
    int waiting_for = -1;  // flight
    double since = 0.0;    // it waits since then
    std::vector<FlightState> flights;
    std::vector<double> seconds;
  };
  struct End {
    int rank = -1, flight = 0;
  };
  struct MessageState {
    End sender, receiver;  // known once they have begun
    std::int64_t bytes = 0;
    bool arrived = false;
  };
  const Round& round_of(int rank, int flight) const;
  bool done(int rank, int flight) const;
  void go_on(int rank, double now);
  bool pass_round(int rank, int flight, double now);
  void post(int rank, int flight, double now);
  void one_done(const End& end, double now);

  const Program& program_;
  std::int64_t eager_;
  double last_start_ = 0.0;
  std::vector<MessageState> messages_;
  std::vector<RankState> ranks_;
};

}  // namespace phasewise::contention
