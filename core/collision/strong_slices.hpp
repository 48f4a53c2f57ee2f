// Slices of a beam that is not tracked, from its design moments.
#pragma once

#include <vector>

#include "beam/moments.hpp"
#include "beam/slices.hpp"
#include "collision/frame.hpp"
#include "collision/gaussian_slice.hpp"

namespace phasewise::collision {

// A Gaussian beam of `design` moments (in its own frame), cut by `cuts` in the frame of the
// collision. What is at each z goes through the frame by itself, so that a slice stands where the
// crab cavities put it, however much their wave bends the beam; mean and covariance of a slice are
// those over its length. mean_z, rms_z: of the beam in the collision's frame [m].
std::vector<GaussianSlice> strong_slices(const beam::Moments& design, const CollisionFrame& frame,
                                         double cos_phi, const beam::SliceCuts& cuts, double mean_z,
                                         double rms_z, double macroparticles);

}  // namespace phasewise::collision
