// Collision of Gaussian slices: soft-Gaussian (both beams are tracked, and every step measures the
// slices' moments anew) and weak-strong (one beam keeps its design moments). The field is that of
// Bassetti and Erskine; the longitudinal kick follows from the same potential: Hirata, Moshammer,
// Ruggiero, Part. Accel. 40 (1993) 205.
#pragma once

#include <array>
#include <vector>

#include "collision/exchange/beam_groups.hpp"
#include "collision/slice_moments.hpp"

namespace phasewise::collision {

class GaussianCollision {
 public:
  using Listener = workload::Listener;
  GaussianCollision(const InteractionPoint& ip, const BeamGroups& groups, int threads,
                    Contents contents, DeviceWork* device)
      : ip_(ip),
        groups_(groups),
        threads_(threads),
        device_(device),
        moments_(threads, contents, device) {}

  CollisionResult collide(std::array<CollidingBeam, 2>& beams, Listener& listener);

 private:
  using Pair = std::array<GaussianSlice, 2>;
  double luminosity_of(const Pair& pair, const std::array<CollidingBeam, 2>& beams) const;
  // The pair's slice of the other beam, the slice `other` of it, kicks a slice of beam `number`.
  void kick(std::array<CollidingBeam, 2>& beams, int number, int slice, int other, const Pair& pair,
            Listener& listener);

  const InteractionPoint& ip_;
  const BeamGroups& groups_;
  int threads_;
  DeviceWork* device_;  // null if the kernels run on the CPU
  SliceMoments moments_;
};

}  // namespace phasewise::collision
