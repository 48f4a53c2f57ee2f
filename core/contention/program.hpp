// What all ranks do in a turn, as data: sequences of rounds of messages, the order in which each
// rank starts, advances and finishes them, and what it computes in between.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace phasewise::contention {

// A message of a round. Messages between two ranks on one channel match in order, as MPI's do.
struct Send {
  int peer;
  std::int64_t bytes;
  bool operator==(const Send&) const = default;
};

// How the sends of a round travel.
//   plain: as [protocol] of the machine says for their size
//   synchronous: they depart when the receiver has posted them
//   eager: they depart at once, and the sender does not wait for them
//   put: they go into the receiver's memory, and the receiver posts nothing; the sender waits until
//        they are there
//   get: the reverse of put: this rank reads data of the peer
enum class Sending : std::uint8_t { plain, synchronous, eager, put, get };

// What else a rank does when it sends a message within its node.
//   none: nothing that is known
//   behind: it has just sent others to the same rank, so that both sides work at once
//   crossing: it receives messages in the same round
enum class Company : std::uint8_t { none, behind, crossing };

// Messages that a rank posts together: its sends [first_send, last_send), and its receives
// likewise.
struct ProgramRound {
  std::int16_t phase;
  std::int32_t channel;  // of its messages
  bool blocking;         // entered only by a rank that waits for the end of the sequence
  bool library;          // in a call of the library, whose waiting cannot be told from its transfer
  bool flushes = false;  // a rank that has posted it waits for its end, whatever its action
  float weight;          // within its sequence
  float packing, storing;  // before messages are posted, and after they have arrived [s]
  // The time of the calls themselves, which counts as communication [s].
  float before = 0.0F, after = 0.0F;
  Sending sending = Sending::plain;
  // Its sends, or receives, may still be under way when the next round begins. They must be done at
  // the end of the first later round with `waits_for_all`.
  bool keeps_sends = false, keeps_receives = false, waits_for_all = true;
  Company company = Company::none;  // of its sends
  int first_send, last_send, first_receive, last_receive;
};

// Rounds that follow each other: [first, last) of the rank's rounds. Sequences that repeat others
// share their rounds. The time of a round is multiplied by both weights, since it may stand for
// similar rounds that the program leaves out.
struct RoundSequence {
  int first, last;
  double weight;
  std::int32_t tag = 0;  // added to the channels of its rounds' messages

  float weight_of(const ProgramRound& round) const {
    return static_cast<float>(weight * round.weight);
  }
};

// Computing between messages; its time is multiplied by `weight`, as that of a round is.
struct Computation {
  double seconds;
  float weight;
};

// Waiting for messages that were posted one by one: those of the requests [first, last) of
// `awaited`.
struct Wait {
  std::int16_t phase;
  float weight;        // of its time, as that of a round
  float after = 0.0F;  // the time of the calls that receive [s]
  int first, last;
};

// start: the first round may begin. progress: the rank does as many rounds as it can without
// waiting. finish: the rank waits until the last round is done. compute: it computes. mark: one of
// several turns that are compared is over, or the last one before them. post: the one message of a
// sequence is under way from now on, and `wait` waits for it by its request; nobody waits for one
// whose request is `never_awaited`.
enum class Action : std::uint8_t { start, progress, finish, compute, mark, post, wait };
inline constexpr int never_awaited = -1;
struct Instruction {
  Action action;
  std::uint16_t channel;  // that of the sequence; a rank has one under way on each
  int number;             // that of the sequence, computation or wait; of a mark, unused
  int request = never_awaited;
};

struct RankProgram {
  std::span<const Send> sends_of(const ProgramRound& round) const {
    return std::span(sends).subspan(round.first_send, round.last_send - round.first_send);
  }
  // The ranks that messages come from.
  std::span<const int> receives_of(const ProgramRound& round) const {
    return std::span(receives).subspan(round.first_receive,
                                       round.last_receive - round.first_receive);
  }
  std::span<const ProgramRound> rounds_of(const RoundSequence& sequence) const {
    return std::span(rounds).subspan(sequence.first, sequence.last - sequence.first);
  }
  // Calls visit(round, weight) for each round in the order of the turn.
  template <class Visit>
  void each_round(Visit&& visit) const {
    for (const RoundSequence& sequence : sequences)
      for (const ProgramRound& round : rounds_of(sequence)) visit(round, sequence.weight_of(round));
  }
  std::span<const int> awaited_by(const Wait& wait) const {
    return std::span(awaited).subspan(wait.first, wait.last - wait.first);
  }
  // The number of messages that the rank sends.
  std::int64_t messages() const;
  // Whether the rounds of both sequences do the same.
  bool alike(const RoundSequence& a, const RoundSequence& b) const;

  std::vector<Send> sends;
  std::vector<int> receives;
  std::vector<ProgramRound> rounds;
  std::vector<RoundSequence> sequences;
  std::vector<Computation> computations;
  std::vector<Wait> waits;
  std::vector<int> awaited;  // requests
  std::vector<Instruction> instructions;
};

struct Program {
  // The last rank starts less than this many latencies after the first.
  double spread = 20.0;
  std::vector<std::string> phases;
  std::vector<RankProgram> ranks;
  std::int64_t messages = 0;
};

}  // namespace phasewise::contention
