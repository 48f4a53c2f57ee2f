#include "contention/walk.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

namespace phasewise::contention {
namespace {

// Latencies between the first and the last rank's start.
constexpr double spread = 20.0;

}  // namespace

Walk::Walk(const Program& program, std::int64_t eager)
    : program_(program),
      eager_(eager),
      messages_(static_cast<std::size_t>(program.messages)),
      ranks_(program.ranks.size()) {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    ranks_[r].flights.resize(program.ranks[r].flights.size());
    ranks_[r].seconds.assign(program.phases.size(), 0.0);
  }
}

void Walk::begin(double latency) {
  // Multiples of the golden ratio, modulo 1, lie evenly and without order.
  std::vector<std::pair<double, int>> starts;
  starts.reserve(ranks_.size());
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank)
    starts.emplace_back(spread * latency * std::fmod(rank * std::numbers::phi, 1.0), rank);
  std::sort(starts.begin(), starts.end());
  if (!starts.empty()) last_start_ = starts.back().first;
  for (const auto& [start, rank] : starts) go_on(rank, start);
}

Execution Walk::finish() {
  Execution result;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r].act < program_.ranks[r].acts.size())
      throw std::logic_error("rank " + std::to_string(r) + " waits for ever");
    result.seconds.push_back(std::move(ranks_[r].seconds));
  }
  return result;
}

const Round& Walk::round_of(int rank, int flight) const {
  const RankProgram& own = program_.ranks[rank];
  return own.rounds[own.flights[flight].first + ranks_[rank].flights[flight].round];
}
bool Walk::done(int rank, int flight) const {
  const Flight& planned = program_.ranks[rank].flights[flight];
  return planned.first + ranks_[rank].flights[flight].round == planned.last;
}

// From where the rank stands until it has to wait.
void Walk::go_on(int rank, double now) {
  RankState& state = ranks_[rank];
  const std::vector<Act>& acts = program_.ranks[rank].acts;
  state.waiting_for = -1;
  for (; state.act < acts.size(); ++state.act) {
    const Act& act = acts[state.act];
    if (act.verb == Verb::start) continue;
    while (!done(rank, act.flight) && pass_round(rank, act.flight, now)) {
    }
    if (act.verb == Verb::finish && !done(rank, act.flight)) {
      state.waiting_for = act.flight;
      state.since = now;
      return;
    }
  }
}

// Posts the round where that is not done, and goes beyond it where all its messages are done.
bool Walk::pass_round(int rank, int flight, double now) {
  FlightState& state = ranks_[rank].flights[flight];
  if (!state.posted) post(rank, flight, now);
  if (state.pending > 0) return false;
  state.posted = false;
  ++state.round;
  return true;
}

void Walk::post(int rank, int flight, double now) {
  const Round& round = round_of(rank, flight);
  FlightState& state = ranks_[rank].flights[flight];
  state.posted = true;
  state.pending = static_cast<int>(round.receives.size() + round.sends.size());
  for (const Receive& receive : round.receives) {
    MessageState& message = messages_[receive.id];
    message.receiver = {rank, flight};
    if (message.arrived)
      --state.pending;
    else if (message.sender.rank >= 0 && message.bytes >= eager_)
      launch({receive.id, receive.peer, rank, message.bytes}, now);
  }
  for (const Send& send : round.sends) {
    MessageState& message = messages_[send.id];
    message.sender = {rank, flight};
    message.bytes = send.bytes;
    const bool eager = send.bytes < eager_;
    if (eager) --state.pending;
    if (eager || message.receiver.rank >= 0) launch({send.id, rank, send.peer, send.bytes}, now);
  }
}

void Walk::arrive(int id, double now) {
  MessageState& message = messages_[id];
  message.arrived = true;
  const End sender = message.sender, receiver = message.receiver;
  if (message.bytes >= eager_) one_done(sender, now);
  if (receiver.rank >= 0) one_done(receiver, now);
}

void Walk::one_done(const End& end, double now) {
  RankState& rank = ranks_[end.rank];
  if (--rank.flights[end.flight].pending > 0 || rank.waiting_for != end.flight) return;
  const Round& round = round_of(end.rank, end.flight);
  rank.seconds[round.phase] +=
      round.weight * std::max(now - std::max(rank.since, last_start_), 0.0);
  go_on(end.rank, now);
}

}  // namespace phasewise::contention
