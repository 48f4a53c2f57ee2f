// The communication of all ranks in a turn, as data: sequences of rounds of messages, and the order
// in which each rank starts, advances and finishes them.
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
  std::uint8_t channel;
  int first_send, last_send, first_receive, last_receive;
};

// Rounds that follow each other: [first, last) of the rank's rounds.
struct RoundSequence {
  int first, last;
};

// start: the first round may begin; progress: as many rounds are done as can be without waiting;
// finish: the rank waits until the last one is done.
enum class Action : std::uint8_t { start, progress, finish };
struct Instruction {
  Action action;
  int sequence;
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
