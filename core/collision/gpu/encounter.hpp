// The meeting of particles with a slice on the GPU, from the same functions of values as on the
// CPU. All pointers are to device memory; calls return before the work is done, in the order of the
// default stream.
#pragma once

#include "beam/coordinates.hpp"
#include "collision/encounter.hpp"

namespace phasewise::collision::gpu {

// As collision::encounter; adds the deposits that fell outside the mesh to *outside. Charges are
// multiples of one quantum, so that atomic additions give the same grid in any order, and the same
// as on the CPU.
void encounter(collision::Weighting weighting, const beam::ParticleView& particles,
               const collision::KickSource* kick, const collision::ChargeTarget* deposit,
               unsigned long long* outside);

}  // namespace phasewise::collision::gpu
