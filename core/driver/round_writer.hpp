// Writes a round of an exchange into a rank's program, as its protocol runs it on a simulated
// machine (core/comm/protocols): handshakes, data, flags and fences, and the time of each call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "driver/followed.hpp"

namespace phasewise::driver {

// Whether a rank only sends in a round, or only receives.
inline bool one_way(const exchange::Round& round) {
  return round.sends.empty() != round.receives.empty();
}

inline bool both_ways(const exchange::Round& round) {
  return !round.sends.empty() && !round.receives.empty();
}

class RoundWriter {
 public:
  // The time of copying before and after the round's messages [s].
  struct Copying {
    float packing, storing;
  };
  RoundWriter(Followed& program, const exchange::Exchange& exchange, double weight,
              Copying copying);

  void write(const exchange::Round& round);

 private:
  using Sends = std::vector<contention::Send>;
  using Ranks = std::vector<int>;
  // The messages that are not empty: where they go and where they come from, by rank among all.
  struct Ends {
    Sends sends;
    Ranks sources;
    std::int64_t received = 0;  // B
    double copying = 0.0;       // into other ranks' memory [s]
  };
  // The ranks that empty messages go to and come from.
  struct Signals {
    Ranks to, from;
  };
  struct SignalPair {
    Signals before, after;
  };

  Ends ends_of(const exchange::Round& round) const;
  SignalPair signals_of(const exchange::Round& round, exchange::Protocol protocol) const;
  std::int64_t left_to_network(const exchange::Transfer& t, std::int64_t bytes,
                               double& copying) const;
  bool is_one_sided() const;
  bool by_epochs() const;
  bool sends_freely() const;
  exchange::Round part_of(const exchange::Round& round, bool near) const;

  // Steps of a protocol; each ends the preceding one.
  void open(bool waits = true);
  void settle();
  void wait(std::size_t received);
  void receive_later(const Ranks& sources);
  void receive_each(const Ranks& sources);
  void send_each(const Sends& sends, contention::Sending sending, bool later, double copying = 0.0);
  void exchange(const Signals& signals);
  void charge_flags(const Signals& signals);
  void fence();

  void in_pairs(const Ends& ends, std::size_t pairs);
  void ordered(const Ends& ends);
  void packed(const Ends& ends);
  void between_fences(const Ends& ends);
  void between_posts(const Ends& ends);
  void get(const exchange::Round& round);
  void put(const SignalPair& signals, const Ends& ends);
  void flags_behind(const Signals& signals);
  void shared(const exchange::Round& round);

  // The time of the calls that send, or receive, this many messages. In a stream the receiver
  // handles all but the last while the sender goes on.
  float charged(std::size_t messages) const {
    const double further = messages > 1 ? static_cast<double>(messages - 1) : 0.0;
    return static_cast<float>(messages == 0 ? 0.0 : overhead_ + further * further_);
  }
  float charged_to_get(std::size_t messages) const {
    return charged(overlaps_ ? std::min<std::size_t>(messages, 1) : messages);
  }
  contention::ProgramRound& step() { return program_.round_; }

  Followed& program_;
  const exchange::Exchange& exchange_;
  double weight_, overhead_;
  double further_;  // that of further messages of a round
  Copying copying_;
  int me_;
  Followed::Posting posting_;
  bool begun_ = false;
  // Whether the round goes one way, and whether the calls of both sides then overlap.
  bool streams_ = false, overlaps_ = false;
  bool crosses_ = false;  // messages go both ways at once
};

}  // namespace phasewise::driver
