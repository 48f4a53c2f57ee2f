// A study's turn as a program of all ranks, for the models that follow its messages: the plan that
// the driver executes, what the library is asked for taken apart into messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contention/program.hpp"
#include "driver/turn_messages.hpp"

namespace phasewise::driver {

// Steps of a turn that stand for all, and for how many each does: all where `most` allows it. Else
// those with as many pairs of slices count as alike, though other columns hold them; of the rest at
// most `most` are taken, the time of the others being interpolated in the number of pairs.
struct WeightedStep {
  int k;
  double weight;
};
std::vector<WeightedStep> representative_steps(int slices, int most);

struct ProgramOptions {
  double meshes = 0.0;  // new Green functions in a turn where they are made as needed
  int most_steps = 0;
};

// What `rank` does. `phases` collects the names that rounds number.
contention::RankProgram rank_program(const TurnMessages& turn, int rank,
                                     const ProgramOptions& options,
                                     std::vector<std::string>& phases);

// All ranks, their messages matched; as many steps as keep the messages below `most_messages`,
// three at least. Throws std::invalid_argument as the simulation does.
contention::Program turn_program(const TurnMessages& turn, double meshes,
                                 std::int64_t most_messages);

}  // namespace phasewise::driver
