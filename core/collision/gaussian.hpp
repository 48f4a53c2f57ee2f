// Collision of Gaussian slices: soft-Gaussian (both beams tracked, each slice takes the moments of
// its particles anew in every step) and weak-strong (one beam keeps its design moments). The field
// is Bassetti and Erskine's, the longitudinal kick follows from the same potential: Hirata,
// Moshammer, Ruggiero, Part. Accel. 40 (1993) 205.
#pragma once

#include <array>
#include <vector>

#include "collision/slice_moments.hpp"
#include "parallel/kernel.hpp"
#include "parallel/kernel_times.hpp"

namespace phasewise::collision {

class GaussianCollision {
 public:
  GaussianCollision(const InteractionPoint& ip, const BeamGroups& groups, int threads,
                    parallel::KernelTimes& times)
      : ip_(ip), threads_(threads), times_(times), moments_(groups, threads) {}

  CollisionResult collide(std::array<CollidingBeam, 2>& beams);

 private:
  const InteractionPoint& ip_;
  int threads_;
  parallel::KernelTimes& times_;
  SliceMoments moments_;
};

// Kicks the particles by a Gaussian slice; kick_scale as in CollidingBeam.
void gaussian_encounter(const beam::ParticleView& particles, const GaussianSlice& opposing,
                        double kick_scale, bool longitudinal_kick);
// One item: a particle.
parallel::KernelCard gaussian_encounter_card();

}  // namespace phasewise::collision
