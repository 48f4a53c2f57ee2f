// The slices of a beam that is not tracked, from its design moments.
#pragma once

#include <vector>

#include "beam/moments.hpp"
#include "beam/slices.hpp"
#include "collision/frame.hpp"
#include "collision/gaussian_slice.hpp"

namespace phasewise::collision {

// Slices a Gaussian beam with `design` moments (in its own frame) by `cuts` in the frame of the
// collision. Each part of the beam along z is taken into that frame by itself, so that a slice is
// where the crab cavities put it, even if their wave bends the beam; mean and covariance of a slice
// are those over its length. mean_z and rms_z are those of the beam in the collision's frame [m].
std::vector<GaussianSlice> strong_slices(const beam::Moments& design, const CollisionFrame& frame,
                                         double cos_phi, const beam::SliceCuts& cuts, double mean_z,
                                         double rms_z, double macroparticles);

}  // namespace phasewise::collision
