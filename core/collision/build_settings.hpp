// Reads `communication.*` of the flat parameters, and makes the process grid of an interaction
// point from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collision/process_grid.hpp"
#include "collision/settings.hpp"
#include "workload/parameters.hpp"

namespace phasewise::collision {

Settings build_settings(const workload::Parameters& parameters);

// The word of a layout in the parameters.
std::string layout_word(Layout layout);

// The grid for a collision of so many slices; std::invalid_argument where the study's grid or
// places do not match the ranks.
ProcessGrid build_process_grid(const Settings& settings, int ranks, int slices, std::uint64_t seed,
                               std::vector<int> nodes);

}  // namespace phasewise::collision
