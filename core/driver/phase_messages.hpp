// The messages of each phase of a turn, of the rank that sends most, by kind: what the models that
// look at one rank are given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/pieces.hpp"
#include "workload/workload.hpp"

namespace phasewise::driver {

struct PhaseMessages {
  std::string name;
  bool library = false;
  int rank = 0;
  // One entry for each kind of message.
  std::vector<std::int64_t> bytes, distance, active;
  std::vector<std::uint8_t> inter;
  std::vector<double> count;  // per turn
};

// In the order in which a rank meets them. distance: between the ranks' numbers; active: messages
// that ranks of the sender's node send in the same round, as far as this one, out of the node or
// within it, a node having node_size ranks. The rank that sends most is sought among the workload's
// typical ranks.
std::vector<PhaseMessages> phase_messages(const workload::Workload& study, int node_size,
                                          const workload::PieceCounts& counts);

}  // namespace phasewise::driver
