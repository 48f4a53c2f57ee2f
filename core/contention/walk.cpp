#include "contention/walk.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "contention/stuck.hpp"

namespace phasewise::contention {
namespace {

int channels_of(const Program& program) {
  int count = 1;
  for (const RankProgram& rank : program.ranks)
    for (const Instruction& instruction : rank.instructions)
      count = std::max(count, instruction.channel + 1);
  return count;
}

// The numbers of a rank's requests are below this one.
int requests_of(const RankProgram& program) {
  int count = 0;
  for (const Instruction& instruction : program.instructions)
    count = std::max(count, instruction.request + 1);
  return count;
}

}  // namespace

Walk::Walk(const Program& program, std::int64_t eager)
    : program_(program),
      eager_(eager),
      channels_(channels_of(program)),
      messages_(program.ranks.size()),
      ranks_(program.ranks.size()),
      flights_(program.ranks.size() * channels_),
      times_(program.ranks.size() * program.phases.size()) {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    const std::vector<Instruction>& instructions = program.ranks[r].instructions;
    ranks_[r].next = instructions.data();
    ranks_[r].end = instructions.data() + instructions.size();
    first_request_.push_back(static_cast<int>(requests_.size()));
    requests_.resize(requests_.size() + requests_of(program.ranks[r]),
                     {.rank = static_cast<int>(r)});
  }
  requests_.emplace_back();
}

void Walk::begin(double latency) {
  // Multiples of the golden ratio modulo 1 are spread evenly and in no order.
  std::vector<std::pair<double, int>> starts;
  starts.reserve(ranks_.size());
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank)
    starts.emplace_back(program_.spread * latency * std::fmod(rank * std::numbers::phi, 1.0), rank);
  std::sort(starts.begin(), starts.end());
  if (!starts.empty()) last_start_ = starts.back().first;
  for (const auto& [start, rank] : starts) ranks_[rank].start = start;
  for (const auto& [start, rank] : starts) go_on(rank, start);
}

Execution Walk::finish() {
  Execution result(ranks_.size());
  auto times = times_.begin();
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r].next != ranks_[r].end) throw WaitsForEver(who_waits(static_cast<int>(r)));
    result[r].computing = ranks_[r].computing;
    result[r].marks = std::move(ranks_[r].marks);
    for (std::size_t phase = 0; phase < program_.phases.size(); ++phase, ++times) {
      result[r].communicating.push_back(times->communicating);
      result[r].waiting.push_back(times->waiting);
    }
  }
  if (messages_.open() > 0)
    throw OneEnd("messages of which nobody posts the other end: " +
                 std::to_string(messages_.open()));
  return result;
}

void Walk::start(int rank, const Instruction& instruction) {
  const RankProgram& own = program_.ranks[rank];
  const RoundSequence& sequence = own.sequences[instruction.number];
  Flight& flight = flights_[flight_of(rank, instruction)];
  if (!flight.done())
    throw std::logic_error("rank " + std::to_string(rank) + " starts rounds before it ends others");
  flight.round = own.rounds.data() + sequence.first;
  flight.last = own.rounds.data() + sequence.last;
  flight.sends = own.sends.data();
  flight.receives = own.receives.data();
  flight.weight = sequence.weight;
  flight.tag = sequence.tag;
}

void Walk::go_on(int rank, double now) {
  RankState& state = ranks_[rank];
  state.waiting_for = -1;
  for (; state.next != state.end; ++state.next) {
    const Instruction& instruction = *state.next;
    const Step step = advance(rank, instruction, now);
    if (step == Step::asleep) return;
    if (step == Step::blocked && waits(rank, instruction)) {
      const bool by_requests = instruction.action == Action::wait;
      state.waiting_for = by_requests ? its_requests : flight_of(rank, instruction);
      state.since = now;
      return;
    }
  }
}

// Whether a rank that cannot proceed with the rounds waits there.
bool Walk::waits(int rank, const Instruction& instruction) const {
  if (instruction.action == Action::finish || instruction.action == Action::wait) return true;
  const Flight& flight = flights_[flight_of(rank, instruction)];
  return flight.stage == Stage::posted && flight.round->flushes;
}

// Does what the instruction asks for, as far as it can be done now.
Walk::Step Walk::advance(int rank, const Instruction& instruction, double now) {
  if (instruction.action == Action::start) {
    start(rank, instruction);
    return Step::passed;
  }
  if (instruction.action == Action::mark) {
    ranks_[rank].marks.push_back(now);
    return Step::passed;
  }
  if (instruction.action == Action::compute) {
    RankState& state = ranks_[rank];
    if (state.asleep) {
      state.asleep = false;
      return Step::passed;
    }
    const Computation& one = program_.ranks[rank].computations[instruction.number];
    state.asleep = compute(rank, one.seconds, one.weight, now);
    return state.asleep ? Step::asleep : Step::passed;
  }
  if (instruction.action == Action::post) return post_by_request(rank, instruction, now);
  if (instruction.action == Action::wait) return wait_for_requests(rank, instruction, now);
  const int number = flight_of(rank, instruction);
  Step step = Step::passed;
  while (step == Step::passed && !flights_[number].done())
    step = pass_round(number, instruction.action == Action::finish, now);
  return step;
}

bool Walk::compute(int rank, double seconds, double weight, double now) {
  if (seconds <= 0.0) return false;
  ranks_[rank].computing += weight * seconds;
  sleep(rank, now + seconds);
  return true;
}

// Posts the present round unless it was posted, and passes it if all its messages are done.
Walk::Step Walk::pass_round(int number, bool waits, double now) {
  Flight& flight = flights_[number];
  const ProgramRound& round = *flight.round;
  if (flight.stage == Stage::idle) {
    if (round.blocking && !waits) return Step::blocked;
    flight.stage = Stage::packing;
    if (compute(rank_of(number), round.packing, flight.round_weight(), now)) return Step::asleep;
  }
  if (flight.stage == Stage::packing) {
    flight.stage = Stage::calling;
    const int rank = rank_of(number);
    if (call(rank, round.phase, flight.round_weight(), round.before, now)) return Step::asleep;
  }
  if (flight.stage == Stage::calling) {
    post(number, now);
    flight.stage = Stage::posted;
  }
  if (flight.stage == Stage::posted) {
    if (!flight.passes()) return Step::blocked;
    flight.stage = Stage::closing;
    const int rank = rank_of(number);
    if (call(rank, round.phase, flight.round_weight(), round.after, now)) return Step::asleep;
  }
  if (flight.stage == Stage::closing) {
    flight.stage = Stage::storing;
    if (compute(rank_of(number), round.storing, flight.round_weight(), now)) return Step::asleep;
  }
  flight.stage = Stage::idle;
  ++flight.round;
  return Step::passed;
}

bool Walk::call(int rank, int phase, float weight, double seconds, double now) {
  if (seconds <= 0.0) return false;
  const double then = now + seconds;
  times_[rank * program_.phases.size() + phase].communicating +=
      weight * std::max(then - std::max(now, last_start_), 0.0);
  sleep(rank, then);
  return true;
}

void Walk::post(int number, double now) {
  Flight& flight = flights_[number];
  const ProgramRound& round = *flight.round;
  const std::span sends(flight.sends + round.first_send, flight.sends + round.last_send);
  const std::span receives(flight.receives + round.first_receive,
                           flight.receives + round.last_receive);
  flight.last_sent = now;
  flight.pending = 0;
  (round.keeps_receives ? flight.kept : flight.pending) += static_cast<int>(receives.size());
  (round.keeps_sends ? flight.kept : flight.pending) += static_cast<int>(sends.size());
  const End end{number, rank_of(number), round, round.channel + flight.tag};
  for (const int from : receives)
    if (post_receive(end, from, now, flight.last_sent))
      --(round.keeps_receives ? flight.kept : flight.pending);
  for (const Send& send : sends)
    if (post_send(end, send, now)) --(round.keeps_sends ? flight.kept : flight.pending);
}

bool Walk::post_receive(const End& end, int from, double now, double& last_sent) {
  const auto& [number, rank, round, channel] = end;
  const int id = messages_.post_receive({from, rank, channel}, number);
  Matching::Message& message = messages_[id];
  message.receiver_keeps = round.keeps_receives;
  if (message.sender >= 0) last_sent = std::max(last_sent, message.sent);
  const bool arrived = message.arrived;
  if (arrived)
    messages_.forget(id);
  else if (message.sender >= 0 && !message.eager)
    launch({id, from, rank, message.bytes, message.company}, now);
  return arrived;
}

bool Walk::post_send(const End& end, const Send& send, double now) {
  const auto& [number, rank, round, channel] = end;
  const Matching::Way way{rank, send.peer, channel};
  const bool reads = round.sending == Sending::get, alone = reads || round.sending == Sending::put;
  const int id = alone ? messages_.post_alone(way, number) : messages_.post_send(way, number);
  Matching::Message& message = messages_[id];
  message.sent = now;
  message.bytes = send.bytes;
  message.sender_keeps = round.keeps_sends;
  message.company = round.company;
  message.eager =
      round.sending == Sending::eager || (round.sending == Sending::plain && send.bytes < eager_);
  const bool eager = message.eager;
  if (reads)
    launch({id, send.peer, rank, send.bytes, round.company}, now);
  else if (alone || eager || message.receiver >= 0)
    launch({id, rank, send.peer, send.bytes, round.company}, now);
  return eager;
}

Walk::Step Walk::post_by_request(int rank, const Instruction& instruction, double now) {
  const RankProgram& own = program_.ranks[rank];
  const RoundSequence& sequence = own.sequences[instruction.number];
  const ProgramRound& round = own.rounds[sequence.first];
  RankState& state = ranks_[rank];
  if (!state.asleep && call(rank, round.phase, sequence.weight_of(round), round.before, now)) {
    state.asleep = true;
    return Step::asleep;
  }
  state.asleep = false;
  const int number = end_of(rank, instruction.request);
  Request& request = requests_[number - std::ssize(flights_)];
  request.sent = 0.0;
  const End end{number, rank, round, round.channel + sequence.tag};
  request.done = false;
  bool done = false;
  for (const int from : own.receives_of(round)) done = post_receive(end, from, now, request.sent);
  for (const Send& send : own.sends_of(round)) done = post_send(end, send, now);
  request.done = done;
  return Step::passed;
}

Walk::Step Walk::wait_for_requests(int rank, const Instruction& instruction, double now) {
  const RankProgram& own = program_.ranks[rank];
  const Wait& wait = own.waits[instruction.number];
  RankState& state = ranks_[rank];
  if (std::exchange(state.asleep, false)) return Step::passed;
  state.awaited = 0;
  state.last_sent = 0.0;
  for (const int number : own.awaited_by(wait)) {
    Request& request = requests_[first_request_[rank] + number];
    state.last_sent = std::max(state.last_sent, request.sent);
    request.awaited = !request.done;
    if (request.awaited) ++state.awaited;
  }
  if (state.awaited > 0) return Step::blocked;
  state.asleep = call(rank, wait.phase, wait.weight, wait.after, now);
  return state.asleep ? Step::asleep : Step::passed;
}

void Walk::request_done(Request& request, double sent, double now) {
  if (request.rank < 0) return;
  request.done = true;
  request.sent = std::max(request.sent, sent);
  if (!std::exchange(request.awaited, false)) return;
  RankState& state = ranks_[request.rank];
  state.last_sent = std::max(state.last_sent, request.sent);
  if (--state.awaited > 0) return;
  const Wait& wait = program_.ranks[request.rank].waits[state.next->number];
  count_wait(request.rank, wait.phase, wait.weight, true, state.last_sent, now);
  go_on(request.rank, now);
}

void Walk::arrive(int id, double now) {
  messages_[id].arrived = true;
  const Matching::Message message = messages_[id];
  if (message.receiver >= 0 || message.one_sided) messages_.forget(id);
  if (!message.eager) one_done(message.sender, message.sender_keeps, 0.0, now);
  if (message.receiver >= 0) one_done(message.receiver, message.receiver_keeps, message.sent, now);
}

// A rank that has only computed so far began to wait early by as much as it started early.
double Walk::counted_from(RankState& state) const {
  if (std::exchange(state.waited, true)) return std::max(state.since, last_start_);
  return state.since + (last_start_ - state.start);
}

// `sent` is the time at which a received message was posted, or 0 for a message that was sent.
void Walk::one_done(int number, bool kept, double sent, double now) {
  if (number >= std::ssize(flights_))
    return request_done(requests_[number - std::ssize(flights_)], sent, now);
  Flight& flight = flights_[number];
  const int rank = rank_of(number);
  RankState& state = ranks_[rank];
  flight.last_sent = std::max(flight.last_sent, sent);
  --(kept ? flight.kept : flight.pending);
  if (state.waiting_for != number || !flight.passes()) return;
  const ProgramRound& round = *flight.round;
  count_wait(rank, round.phase, flight.round_weight(), !round.library, flight.last_sent, now);
  go_on(rank, now);
}

void Walk::count_wait(int rank, int phase, float weight, bool tells_waiting, double last_sent,
                      double now) {
  const double from = counted_from(ranks_[rank]);
  const double passed = std::max(now - from, 0.0);
  PhaseTimes& times = times_[rank * program_.phases.size() + phase];
  times.communicating += weight * passed;
  if (tells_waiting) times.waiting += weight * std::clamp(last_sent - from, 0.0, passed);
}

}  // namespace phasewise::contention
