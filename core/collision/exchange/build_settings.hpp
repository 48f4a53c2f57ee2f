// Reads `communication.*` of the flat parameters, and makes the process grid of an interaction
// point from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collision/exchange/process_grid.hpp"
#include "collision/exchange/schedule.hpp"
#include "collision/exchange/settings.hpp"
#include "workload/parameters.hpp"

namespace phasewise::collision {

Settings build_settings(const workload::Parameters& parameters);

// The name of a layout in the parameters.
std::string layout_name(Layout layout);

// The process grid for a collision with these numbers of slices. Throws std::invalid_argument if
// the study's grid or places do not match the ranks.
ProcessGrid build_process_grid(const Settings& settings, int ranks, const Slices& slices,
                               std::uint64_t seed, std::vector<int> nodes);

}  // namespace phasewise::collision
