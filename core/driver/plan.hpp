// What a study's turn sends on so many ranks, counted without MPI: the plan that the driver
// executes, visited message by message.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collision/process_grid.hpp"
#include "collision/settings.hpp"
#include "comm/exchange.hpp"
#include "driver/parameters.hpp"

namespace phasewise::driver {

struct PhaseTraits {
  std::string pattern;    // transpose, reduce, broadcast, cross, sum
  std::string direction;  // column, row, beam, all
  std::string beam;       // same, other, both
};
PhaseTraits traits_of(const std::string& name, const collision::Settings& settings);

// A phase of one turn, as the rank that sends most messages in it takes part.
struct PlannedPhase {
  std::string name;
  PhaseTraits traits;
  bool library = false;   // bytes are the volume asked for
  bool per_mesh = false;  // only when the mesh has changed
  int rank = 0;
  std::int64_t messages = 0, bytes = 0, intra_node = 0, inter_node = 0;
  std::map<std::int64_t, std::int64_t> sizes;  // bytes of a message: how many
};

struct Plan {
  int ranks;
  std::array<collision::Shape, 2> shapes;  // of the first interaction point
  std::vector<PlannedPhase> phases;        // in the order of a turn
  // Largest over mean of what a rank holds: particles, and rows of meshes to solve for.
  std::array<double, 2> particle_load, grid_load;
};

// node_size: ranks of a node where the study does not say; rank: -1 for the one that sends most.
// Throws std::invalid_argument as the simulation does.
Plan plan_turn(const Parameters& parameters, int ranks, int node_size, int rank = -1);

struct PlannedTraffic {
  std::vector<std::int32_t> from, to;
  std::vector<std::int64_t> messages, bytes;  // of one turn, by pairs of ranks that talk
};
// Without what the library sends.
PlannedTraffic planned_traffic(const Parameters& parameters, int ranks);

// For each phase of the first interaction point, bytes of all steps over those of the sampled ones,
// as this rank sends them.
std::map<std::string, double> sampling_scales(const Parameters& parameters, int ranks, int rank,
                                              int sample);

}  // namespace phasewise::driver
