// An interaction point at work: its description, the collision that suits its model, and what the
// last collision left.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "collision/gaussian.hpp"
#include "collision/strong_strong.hpp"
#include "driver/simulation.hpp"

namespace phasewise::driver {

struct Simulation::Point {
  collision::InteractionPoint description;
  std::unique_ptr<collision::StrongStrong> strong_strong;
  std::unique_ptr<collision::GaussianCollision> gaussian;
  std::array<beam::Moments, 2> design;  // of a strong beam
  bool collides = false;                // in the passage now or last under way
  collision::CollisionResult result;
  std::array<collision::CollidingBeam, 2> last;  // cuts and moments of the last collision
  std::array<std::vector<collision::GaussianSlice>, 2> slices;
  std::array<parallel::Buffer<std::uint8_t>, 2> slice_of;
};

}  // namespace phasewise::driver
