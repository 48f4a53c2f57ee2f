// Moments of a beam in the frame of the collision.
#pragma once

#include "beam/moments.hpp"
#include "collision/frame.hpp"

namespace phasewise::collision {

// Mean and covariance after a map that is nearly linear over the beam, from its differences over
// one rms in each direction.
beam::Moments mapped(const beam::Moments& m, const CollisionFrame& frame);

}  // namespace phasewise::collision
