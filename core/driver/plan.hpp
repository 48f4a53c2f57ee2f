// The messages of a study's turn, counted by a listener without MPI.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workload/workload.hpp"

namespace phasewise::driver {

// A phase, for the rank that sends the most messages in it.
struct PlannedPhase {
  std::string name;
  workload::Phase traits;
  bool library = false;  // bytes are those that the library is asked to move
  std::string per;       // "turn", or the unit of a data-dependent piece
  std::string piece;     // that piece; empty for the turn
  int rank = 0;
  std::int64_t messages = 0, bytes = 0, intra_node = 0, inter_node = 0;
  std::int64_t synchronisations = 0;           // flags, handshakes, fences
  std::map<std::int64_t, std::int64_t> sizes;  // number of messages by their bytes
};

// The phases in the workload's order. `rank` is -1 for the one that sends the most. Throws
// std::invalid_argument if there is no such rank.
std::vector<PlannedPhase> plan_turn(const workload::Workload& study, int rank = -1);

struct PlannedTraffic {
  std::vector<std::int32_t> from, to;
  std::vector<std::int64_t> messages, bytes;  // in one turn, for pairs of ranks with messages
};
// Does not count the messages of the library's collectives.
PlannedTraffic planned_traffic(const workload::Workload& study);

// Factors from a turn with only `sample` pieces of each series to a whole turn: for each phase the
// ratio of the bytes that this rank sends, for each kernel the ratio of its times.
std::map<std::string, double> sampling_scales(const workload::Workload& study, int rank,
                                              int sample);

}  // namespace phasewise::driver
