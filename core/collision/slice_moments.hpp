// Centre and size of each slice, summed exactly over all ranks.
#pragma once

#include <array>
#include <vector>

#include "collision/contents.hpp"
#include "collision/gaussian_slice.hpp"
#include "collision/interaction_point.hpp"
#include "workload/listener.hpp"

namespace phasewise::collision {

// Sums over slices (beam, slice), all at once; collective over all ranks. Particles beyond `bounds`
// (x px y py) count as standing there, so that the sums stay exact whatever a kick does.
class SliceMoments {
 public:
  using Listener = workload::Listener;
  SliceMoments(int threads, Contents contents) : threads_(threads), contents_(contents) {}

  struct Which {
    int beam, slice;
  };
  // Bounds that leave room for the kicks of one collision: four times the largest coordinates now.
  void set_bounds(const std::array<CollidingBeam, 2>& beams, Listener& listener);
  // A strong beam brings its slices. Without contents all are empty.
  std::vector<GaussianSlice> of(const std::array<CollidingBeam, 2>& beams,
                                const std::vector<Which>& which, Listener& listener) const;
  // All `slices` of a beam.
  std::vector<GaussianSlice> of_all(const std::array<CollidingBeam, 2>& beams, int beam, int slices,
                                    Listener& listener) const;

 private:
  int threads_;
  Contents contents_;
  std::array<std::array<double, 4>, 2> bounds_{};
};

// What a slice looks like by regression of its beam's moments on z.
GaussianSlice typical_slice(const CollidingBeam& beam, int slice);

}  // namespace phasewise::collision
