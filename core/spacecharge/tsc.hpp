// The work on particles of a kick where they are triangular shaped clouds (field/box_tsc.hpp).
#pragma once

#include <cstdint>

#include "beam/coordinates.hpp"
#include "field/box_mesh.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::spacecharge {

// Overwrites charge[nz][nx][ny] with that of the particles, each 1, in multiples of the quantum;
// returns how many of them lie outside the mesh.
std::int64_t deposit_tsc(const beam::ParticleView& particles, const field::BoxMesh& mesh,
                         double quantum, double* charge);

// As kick of kernels.hpp.
void kick_tsc(const beam::ParticleView& particles, const field::BoxMesh& mesh,
              const double* potential, double factor, double along, int threads);

// One item: a particle. nodes_each: mesh nodes for each particle.
parallel::KernelCard deposit_tsc_card(double nodes_each);
parallel::KernelCard kick_tsc_card(double nodes_each);

}  // namespace phasewise::spacecharge
