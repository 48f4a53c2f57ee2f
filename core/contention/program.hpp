// What all ranks do in a turn, as data: sequences of rounds of messages, the order in which each
// rank starts, advances and finishes them, and what it computes in between.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace phasewise::contention {

// A message of a round; `id` is the same at both ends.
struct Send {
  int peer;
  std::int64_t bytes;
  int id = -1;
};
struct Receive {
  int peer;
  int id = -1;
};

// Messages that a rank posts together: its sends and receives from the first to before the last.
// The time of a round counts `weight` times, since it may stand for other rounds like it that the
// program leaves out.
struct ProgramRound {
  int phase;
  float weight;
  float packing, storing;  // before the messages are posted, and after they have come [s]
  std::uint8_t channel;
  bool blocking;  // entered only by a rank that waits for the end of the sequence
  bool library;   // inside a call of the library, whose waiting nobody can tell from its transfer
  int first_send, last_send, first_receive, last_receive;
};

// Rounds that follow each other: [first, last) of the rank's rounds.
struct RoundSequence {
  int first, last;
};

// Computing between messages; its time counts `weight` times, as that of a round does.
struct Computation {
  double seconds;
  float weight;
};

// start: the first round may begin; progress: as many rounds are done as can be without waiting;
// finish: the rank waits until the last one is done; compute: it computes.
enum class Action : std::uint8_t { start, progress, finish, compute };
struct Instruction {
  Action action;
  int number;  // of the sequence, or of the computation
};

struct RankProgram {
  std::span<const Send> sends_of(const ProgramRound& round) const {
    return std::span(sends).subspan(round.first_send, round.last_send - round.first_send);
  }
  std::span<const Receive> receives_of(const ProgramRound& round) const {
    return std::span(receives).subspan(round.first_receive,
                                       round.last_receive - round.first_receive);
  }

  std::vector<Send> sends;
  std::vector<Receive> receives;
  std::vector<ProgramRound> rounds;
  std::vector<RoundSequence> sequences;
  std::vector<Computation> computations;
  std::vector<Instruction> instructions;
};

struct Program {
  std::vector<std::string> phases;
  std::vector<RankProgram> ranks;
  int messages = 0;
};

// Gives each message the same id at both ends. Messages between two ranks on one channel match in
// order, as MPI's do. Throws std::logic_error if a message has only one end.
void match(Program& program);

}  // namespace phasewise::contention
