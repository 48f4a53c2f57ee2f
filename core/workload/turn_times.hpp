// How long the turns of a run take, measured as messages are (core/probe): from agreed starts, as
// the maximum over the ranks.
#pragma once

#include <vector>

#include "workload/run.hpp"

namespace phasewise::workload {

struct Repetitions {
  int least = 1, most = 1;
  double seconds = 0.0;  // as many repetitions are made as fit into this time
};

struct TurnTimes {
  int turns = 1;                // per repetition: short turns are timed together
  std::vector<double> seconds;  // per turn, for each repetition
  std::vector<double> missed;   // 1 if a rank came after the agreed start
};

// Collective; all ranks get the same result.
TurnTimes time_turns(Run& run, const Repetitions& repetitions);

}  // namespace phasewise::workload
