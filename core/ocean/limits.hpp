// The longest timesteps with which the scheme is stable, and the largest blocks that evp can solve.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ocean/description.hpp"
#include "ocean/grid.hpp"

namespace phasewise::ocean {

// In seconds, each with what sets it; infinite where nothing does.
std::vector<std::pair<std::string, double>> timestep_limits(const Description& description,
                                                            const Grid& grid);

// Throws std::invalid_argument with one sentence that names the largest timestep if the study's is
// above it.
void check_timestep(const Description& description, const Grid& grid);

// Throws std::invalid_argument with one sentence that names the largest blocks of evp if the
// study's are larger.
void check_evp_block(const Description& description);

}  // namespace phasewise::ocean
