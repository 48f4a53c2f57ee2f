// What all ranks do in a turn, as data: flights of rounds of messages, in the order in which each
// rank starts, advances and ends them. Pure data, without MPI.
#pragma once

#include <cstdint>
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

// Messages on their way together. Time spent in a round counts `weight` times: it may stand for
// others of its kind that are left out.
struct Round {
  int phase;
  float weight;
  std::uint8_t channel;
  std::vector<Send> sends;
  std::vector<Receive> receives;
};

// Rounds one after another: [first, last) of the rank's rounds.
struct Flight {
  int first, last;
};

// start: the first round may begin; progress: rounds go on as far as they can without waiting;
// finish: waits for the last.
enum class Verb : std::uint8_t { start, progress, finish };
struct Act {
  Verb verb;
  int flight;
};

struct RankProgram {
  std::vector<Round> rounds;
  std::vector<Flight> flights;
  std::vector<Act> acts;
};

struct Program {
  std::vector<std::string> phases;
  std::vector<RankProgram> ranks;
  int messages = 0;
};

// Gives each message one id at both ends: those between two ranks on a channel match in order, as
// MPI's do. Throws std::logic_error where a message has but one end.
void match(Program& program);

}  // namespace phasewise::contention
