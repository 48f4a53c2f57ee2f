// Gaussian slices of a beam with a crab waist. The waist in y lies at another place along the beam
// for every x, so that the height of a slice depends on the place in x at which it is met: where a
// slice has moved s and a particle is at x, the slice has the height that it has at s + k (x - x0)
// without a crab waist. This holds for flat slices, whose field in y is that of the charge nearby.
#pragma once

#include <vector>

#include "beam/slices.hpp"
#include "collision/frame.hpp"
#include "collision/gaussian_slice.hpp"

namespace phasewise::collision {

// Those of a beam's slices in the frame of a collision; none without a crab waist.
std::vector<SliceWaist> slice_waists(const CollisionFrame& frame, double cos_phi,
                                     const beam::SliceCuts& cuts);

// Gives a slice whose moments are those of its particles, with the effect of the waist in <y y> and
// <y py>, its waist. rms_z is its length [m].
void put_waist(GaussianSlice& slice, const SliceWaist& waist, double rms_z);
// The same for a slice whose moments are without this effect.
void put_waist_of_design(GaussianSlice& slice, const SliceWaist& waist, double rms_z);

// What `overlap` is where a slice has a waist.
double overlap_of_waists(const GaussianSlice& a, double s_a, const GaussianSlice& b, double s_b,
                         double more_xx, double more_yy);

}  // namespace phasewise::collision
