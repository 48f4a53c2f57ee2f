// The meshes of the design beams: those of a run without particles, and of a plan.
#pragma once

#include <cstdint>
#include <vector>

#include "collision/description.hpp"
#include "collision/frame.hpp"
#include "collision/interaction_point.hpp"
#include "collision/mesh/mesh_choice.hpp"

namespace phasewise::collision {

// Whether noise and drifts of the crab cavities are part of a frame.
enum class Errors { included, left_out };

// The frame of a collision in this turn, for a beam.
CollisionFrame frame_of(const InteractionPoint& ip, int beam, std::int64_t turn,
                        Errors errors = Errors::included);

// Takes a beam's moments into the collision's frame, and cuts it into slices by the histogram of
// its z there; null stands for a Gaussian bunch.
void cut_beam(CollidingBeam& beam, const beam::Moments& moments, const CollisionFrame& frame,
              const beam::LongitudinalHistogram* histogram, const InteractionPoint& ip, int number);

// The mesh of the first turn at each interaction point; points without a mesh have an empty one.
// Throws std::runtime_error if the beams have no finite size there.
std::vector<CollisionMesh> design_meshes(const Description& description);

// The number of Green functions that a rank makes at a point for these meshes, if it has kept none:
// one for each cell size and distance of windows that its column meets. It is the mean over the
// points that keep Green functions, on the rank that makes most; 0 if there is no such point.
double greens_for(const Description& description, const std::vector<CollisionMesh>& meshes,
                  const std::vector<ProcessGrid>& grids);

}  // namespace phasewise::collision
