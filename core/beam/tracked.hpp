// The coordinates of the particles with the lowest ids, which a run records turn by turn.
#pragma once

#include <vector>

#include "beam/coordinates.hpp"

namespace phasewise::beam {

// Each tracked particle lives on one rank, and the others add zeros: rows of six coordinates, and a
// seventh number that is 1 while the particle lives.
inline constexpr int tracked_width = 7;

// Writes the rows of those of the first `tracked` particles that live here, [tracked][7].
void write_tracked(const ParticleView& particles, int tracked, double* rows);

// The coordinates [tracked][6] from the rows summed over all ranks; NaN once a particle is lost.
std::vector<double> tracked_coordinates(const std::vector<double>& rows);

}  // namespace phasewise::beam
