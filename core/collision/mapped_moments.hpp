// Moments of a beam in the frame of the collision.
#pragma once

#include "beam/moments.hpp"
#include "collision/frame.hpp"

namespace phasewise::collision {

// Mean and covariance after a map that is nearly linear over the beam: by its differences over one
// rms each way.
beam::Moments mapped(const beam::Moments& m, const CollisionFrame& frame);

}  // namespace phasewise::collision
