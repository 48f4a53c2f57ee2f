// How much larger the overlap of two slices is than the overlap of their charges on the mesh. The
// weights spread each charge (Hockney, Eastwood, "Computer Simulation Using Particles" (1988),
// chapter 5), and with two planes a charge is interpolated from the places where it meets the ends
// of the opposing slice to the place where the centroids meet. Both effects are known for Gaussian
// slices with the beams' moments.
#pragma once

#include <array>
#include <vector>

#include "collision/gaussian_slice.hpp"
#include "collision/interaction_point.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::collision {

class OverlapFactor {
 public:
  // `beams` must outlive the factor; `planes` is 1 or 2 for each pair of slices.
  OverlapFactor(const std::array<CollidingBeam, 2>& beams, int planes);

  // The factor of a pair of slices; 1 if they are too far apart for a finite one. spread_xx and
  // spread_yy are the variances that the weights add to each charge [m²].
  double of(int slice_1, int slice_2, double spread_xx, double spread_yy) const;

 private:
  const std::array<CollidingBeam, 2>& beams_;
  int planes_;
  std::array<std::vector<GaussianSlice>, 2> shape_;
};

// The place of a slice's centroid between its tail (0) and its head (1).
double place_between_planes(const beam::SliceCuts& cuts, int slice);

// One item is a pair of slices.
parallel::KernelCard overlap_factor_card();

}  // namespace phasewise::collision
