// Centre and size of each slice, summed exactly over all ranks.
#pragma once

#include <array>
#include <vector>

#include "collision/contents.hpp"
#include "collision/gaussian_slice.hpp"
#include "collision/interaction_point.hpp"
#include "workload/listener.hpp"

namespace phasewise::collision {

// Measures several slices (beam, slice) in one sum over all ranks; collective. Coordinates
// (x px y py) beyond the bounds are clamped to them, so that the sums stay exact whatever a kick
// does.
class SliceMoments {
 public:
  using Listener = workload::Listener;
  SliceMoments(int threads, Contents contents) : threads_(threads), contents_(contents) {}

  struct Which {
    int beam, slice;
  };
  // Sets the bounds to four times the largest coordinates now, which leaves room for the kicks of
  // one collision.
  void set_bounds(const std::array<CollidingBeam, 2>& beams, Listener& listener);
  // A strong beam brings its slices. Without contents all slices are empty.
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

// The slice that follows from its beam's moments by regression on z.
GaussianSlice typical_slice(const CollidingBeam& beam, int slice);

}  // namespace phasewise::collision
