// Reads `communication.*` of the flat parameters, and makes the process grid of an interaction
// point from it.
#pragma once

#include <vector>

#include "collision/process_grid.hpp"
#include "collision/settings.hpp"
#include "driver/parameters.hpp"

namespace phasewise::driver {

collision::Settings build_settings(const Parameters& parameters);

// Ranks of the same node by the study's node_size, else as detected.
std::vector<int> nodes_of(const collision::Settings& settings, int ranks,
                          std::vector<int> detected);

// The grid for a collision of so many slices; std::invalid_argument where the study's grid or
// places do not match the ranks.
collision::ProcessGrid build_process_grid(const collision::Settings& settings, int ranks,
                                          int slices, std::uint64_t seed, std::vector<int> nodes);

}  // namespace phasewise::driver
