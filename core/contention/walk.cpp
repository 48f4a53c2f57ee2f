#include "contention/walk.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

namespace phasewise::contention {
namespace {

// The last rank starts less than this many latencies after the first.
constexpr double spread = 20.0;

}  // namespace

Walk::Walk(const Program& program, std::int64_t eager)
    : program_(program),
      eager_(eager),
      messages_(static_cast<std::size_t>(program.messages)),
      ranks_(program.ranks.size()) {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    ranks_[r].sequences.resize(program.ranks[r].sequences.size());
    ranks_[r].seconds.assign(program.phases.size(), 0.0);
  }
}

void Walk::begin(double latency) {
  // Multiples of the golden ratio modulo 1 are spread evenly, in no order.
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
    if (ranks_[r].next < program_.ranks[r].instructions.size())
      throw std::logic_error("rank " + std::to_string(r) + " waits for ever");
    result.seconds.push_back(std::move(ranks_[r].seconds));
  }
  return result;
}

const ProgramRound& Walk::round_of(int rank, int sequence) const {
  const RankProgram& own = program_.ranks[rank];
  return own.rounds[own.sequences[sequence].first + ranks_[rank].sequences[sequence].round];
}
bool Walk::done(int rank, int sequence) const {
  const RoundSequence& planned = program_.ranks[rank].sequences[sequence];
  return planned.first + ranks_[rank].sequences[sequence].round == planned.last;
}

// Follows the rank to where it has to wait.
void Walk::go_on(int rank, double now) {
  RankState& state = ranks_[rank];
  const std::vector<Instruction>& instructions = program_.ranks[rank].instructions;
  state.waiting_for = -1;
  for (; state.next < instructions.size(); ++state.next) {
    const Instruction& instruction = instructions[state.next];
    if (instruction.action == Action::start) continue;
    while (!done(rank, instruction.sequence) && pass_round(rank, instruction.sequence, now)) {
    }
    if (instruction.action == Action::finish && !done(rank, instruction.sequence)) {
      state.waiting_for = instruction.sequence;
      state.since = now;
      return;
    }
  }
}

// Posts the present round if it was not posted, and passes it if all its messages are done.
bool Walk::pass_round(int rank, int sequence, double now) {
  SequenceState& state = ranks_[rank].sequences[sequence];
  if (!state.posted) post(rank, sequence, now);
  if (state.pending > 0) return false;
  state.posted = false;
  ++state.round;
  return true;
}

void Walk::post(int rank, int sequence, double now) {
  const ProgramRound& round = round_of(rank, sequence);
  const auto sends = program_.ranks[rank].sends_of(round);
  const auto receives = program_.ranks[rank].receives_of(round);
  SequenceState& state = ranks_[rank].sequences[sequence];
  state.posted = true;
  state.pending = static_cast<int>(receives.size() + sends.size());
  for (const Receive& receive : receives) {
    MessageState& message = messages_[receive.id];
    message.receiver = {rank, sequence};
    if (message.arrived)
      --state.pending;
    else if (message.sender.rank >= 0 && message.bytes >= eager_)
      launch({receive.id, receive.peer, rank, message.bytes}, now);
  }
  for (const Send& send : sends) {
    MessageState& message = messages_[send.id];
    message.sender = {rank, sequence};
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
  if (--rank.sequences[end.sequence].pending > 0 || rank.waiting_for != end.sequence) return;
  const ProgramRound& round = round_of(end.rank, end.sequence);
  rank.seconds[round.phase] +=
      round.weight * std::max(now - std::max(rank.since, last_start_), 0.0);
  go_on(end.rank, now);
}

}  // namespace phasewise::contention
