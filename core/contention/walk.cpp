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
    ranks_[r].times.communicating.assign(program.phases.size(), 0.0);
    ranks_[r].times.waiting.assign(program.phases.size(), 0.0);
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
    result.push_back(std::move(ranks_[r].times));
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

void Walk::go_on(int rank, double now) {
  RankState& state = ranks_[rank];
  const RankProgram& own = program_.ranks[rank];
  state.waiting_for = -1;
  for (; state.next < own.instructions.size(); ++state.next) {
    const Instruction& instruction = own.instructions[state.next];
    if (advance(rank, instruction, now) == Step::asleep) return;
    if (instruction.action == Action::finish && !done(rank, instruction.number))
      return wait(rank, instruction.number, now);
  }
}

// Does what the instruction asks for, as far as it can be done now.
Walk::Step Walk::advance(int rank, const Instruction& instruction, double now) {
  if (instruction.action == Action::start) return Step::passed;
  if (instruction.action == Action::compute) {
    RankState& state = ranks_[rank];
    if (state.computing) {
      state.computing = false;
      return Step::passed;
    }
    const Computation& one = program_.ranks[rank].computations[instruction.number];
    state.computing = compute(rank, one.seconds, one.weight, now);
    return state.computing ? Step::asleep : Step::passed;
  }
  Step step = Step::passed;
  while (step == Step::passed && !done(rank, instruction.number))
    step = pass_round(rank, instruction.number, instruction.action == Action::finish, now);
  return step;
}

void Walk::wait(int rank, int sequence, double now) {
  ranks_[rank].waiting_for = sequence;
  ranks_[rank].since = now;
}

bool Walk::compute(int rank, double seconds, double weight, double now) {
  if (seconds <= 0.0) return false;
  ranks_[rank].times.computing += weight * seconds;
  sleep(rank, now + seconds);
  return true;
}

// Posts the present round if it was not posted, and passes it if all its messages are done.
Walk::Step Walk::pass_round(int rank, int sequence, bool waits, double now) {
  SequenceState& state = ranks_[rank].sequences[sequence];
  const ProgramRound& round = round_of(rank, sequence);
  if (state.stage == Stage::idle) {
    if (round.blocking && !waits) return Step::blocked;
    state.stage = Stage::packing;
    if (compute(rank, round.packing, round.weight, now)) return Step::asleep;
  }
  if (state.stage == Stage::packing) {
    post(rank, sequence, now);
    state.stage = Stage::posted;
  }
  if (state.stage == Stage::posted) {
    if (state.pending > 0) return Step::blocked;
    state.stage = Stage::storing;
    if (compute(rank, round.storing, round.weight, now)) return Step::asleep;
  }
  state.stage = Stage::idle;
  ++state.round;
  return Step::passed;
}

void Walk::post(int rank, int sequence, double now) {
  const ProgramRound& round = round_of(rank, sequence);
  const auto sends = program_.ranks[rank].sends_of(round);
  const auto receives = program_.ranks[rank].receives_of(round);
  SequenceState& state = ranks_[rank].sequences[sequence];
  state.last_sent = now;
  state.pending = static_cast<int>(receives.size() + sends.size());
  for (const Receive& receive : receives) {
    MessageState& message = messages_[receive.id];
    message.receiver = {rank, sequence};
    if (message.sender.rank >= 0) state.last_sent = std::max(state.last_sent, message.sent);
    if (message.arrived)
      --state.pending;
    else if (message.sender.rank >= 0 && message.bytes >= eager_)
      launch({receive.id, receive.peer, rank, message.bytes}, now);
  }
  for (const Send& send : sends) {
    MessageState& message = messages_[send.id];
    message.sender = {rank, sequence};
    message.sent = now;
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
  if (message.bytes >= eager_) one_done(sender, 0.0, now);
  if (receiver.rank >= 0) one_done(receiver, message.sent, now);
}

// `sent`: when the message that was received was posted; 0 for one that was sent.
void Walk::one_done(const End& end, double sent, double now) {
  RankState& rank = ranks_[end.rank];
  SequenceState& state = rank.sequences[end.sequence];
  state.last_sent = std::max(state.last_sent, sent);
  if (--state.pending > 0 || rank.waiting_for != end.sequence) return;
  const ProgramRound& round = round_of(end.rank, end.sequence);
  const double from = std::max(rank.since, last_start_);
  const double passed = std::max(now - from, 0.0);
  rank.times.communicating[round.phase] += round.weight * passed;
  if (!round.library)
    rank.times.waiting[round.phase] +=
        round.weight * std::clamp(state.last_sent - from, 0.0, passed);
  go_on(end.rank, now);
}

}  // namespace phasewise::contention
