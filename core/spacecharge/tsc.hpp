// The work on particles in a kick, as triangular shaped clouds (field/box_tsc.hpp).
#pragma once

#include <cstdint>

#include "beam/coordinates.hpp"
#include "field/box_mesh.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::spacecharge {

// Overwrites charge[nz][nx][ny] with that of the particles, 1 each, in multiples of the quantum.
// Returns how many of them lie outside the mesh.
std::int64_t deposit_tsc(const beam::ParticleView& particles, const field::BoxMesh& mesh,
                         double quantum, double* charge);

// Like KickCic::run in kernels.hpp.
void kick_tsc(const beam::ParticleView& particles, const field::BoxMesh& mesh,
              const double* potential, double factor, double along, int threads);

// One item is a particle. nodes_each is the number of mesh nodes per particle.
parallel::KernelCard deposit_tsc_card(double nodes_each);
parallel::KernelCard kick_tsc_card(double nodes_each);

}  // namespace phasewise::spacecharge
