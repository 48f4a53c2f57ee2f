// The messages that the busiest rank sends in each phase of a turn, by kind. They are the input of
// models that consider one rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contention/node_shape.hpp"
#include "workload/pieces.hpp"
#include "workload/workload.hpp"

namespace phasewise::driver {

struct PhaseMessages {
  std::string name;
  bool library = false;
  int rank = 0;
  // One entry for each kind of message.
  std::vector<std::int64_t> bytes, distance, active, together;
  std::vector<std::uint8_t> inter, across;
  std::vector<double> count;  // per turn
  double copied = 0.0;        // memory traffic of the copies around messages, per turn [B]
};

// Phases are in the order in which a rank meets them. `distance` is the difference of the ranks'
// numbers; `inter` is 1 if the message leaves the node, and `across` if it goes to another socket
// of the node. `active` is the number of ranks that send messages of the same level in the same
// round and have the sender's adapter, or the sender's socket where the messages stay in the node.
// `together` is the number of such messages of the sender. The busiest rank is one of the
// workload's typical ranks.
std::vector<PhaseMessages> phase_messages(const workload::Workload& study,
                                          const contention::NodeShape& node,
                                          const workload::PieceCounts& counts);

}  // namespace phasewise::driver
