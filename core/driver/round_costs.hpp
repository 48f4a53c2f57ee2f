// What the phases of a turn need on a network if all ranks enter each round of messages together.
// These are the terms of the model that is fitted to recorded runs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "contention/execution.hpp"
#include "contention/network.hpp"
#include "workload/pieces.hpp"
#include "workload/workload.hpp"

namespace phasewise::driver {

// The seconds of a rank's rounds, within nodes and between nodes.
struct LevelCosts {
  enum Term { latency_within, transfer_within, latency_between, transfer_between, terms };
  std::array<double, terms> seconds{};
};

struct PhaseCosts {
  std::string name;
  bool library = false;  // done by a call of the library
  // Sums over the turn's rounds: for the mean rank, and for the rank that takes longest in each.
  LevelCosts mean, longest;
};

// A rank's round takes as long as its longest message: the latency, plus the transfer at the
// narrowest link of its route, which the messages of all ranks in the same round of a piece share.
// The round counts as within a node or between nodes as that message does. Phases are in the order
// in which ranks meet them.
std::vector<PhaseCosts> round_costs(const workload::Workload& study,
                                    const workload::PieceCounts& counts,
                                    const contention::Network& network,
                                    const contention::Protocol& protocol);

}  // namespace phasewise::driver
