// What a study's turn sends on so many ranks: the turn, told to a listener that counts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workload/workload.hpp"

namespace phasewise::driver {

// A phase as the rank that sends most messages in it takes part.
struct PlannedPhase {
  std::string name;
  workload::Phase traits;
  bool library = false;  // bytes are the volume asked for
  std::string per;       // turn, or what a data-dependent piece comes with
  std::string piece;     // that piece; empty for the turn
  int rank = 0;
  std::int64_t messages = 0, bytes = 0, intra_node = 0, inter_node = 0;
  std::map<std::int64_t, std::int64_t> sizes;  // bytes of a message: how many
};

// In the order of the workload's phases. rank: -1 for the one that sends most. Throws
// std::invalid_argument where there is no such rank.
std::vector<PlannedPhase> plan_turn(const workload::Workload& study, int rank = -1);

struct PlannedTraffic {
  std::vector<std::int32_t> from, to;
  std::vector<std::int64_t> messages, bytes;  // of one turn, by pairs of ranks that talk
};
// Without what the library sends.
PlannedTraffic planned_traffic(const workload::Workload& study);

// For each phase, bytes of a whole turn over those of a turn with so many pieces of each series, as
// this rank sends them; for each kernel that sends nothing, what its time in all pieces is over
// that in the sampled ones.
std::map<std::string, double> sampling_scales(const workload::Workload& study, int rank,
                                              int sample);

}  // namespace phasewise::driver
