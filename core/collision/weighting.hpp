// The rule by which particles and mesh meet.
#pragma once

namespace phasewise::collision {

// How a particle shares its charge among the nodes of the mesh: bilinear or quadratic.
enum class Weighting { cic, tsc };

// Variance in each direction, in h², over which the weights spread a charge: on average over its
// places in a cell with linear ones, at any place with quadratic ones.
constexpr double weights_spread(Weighting weighting) {
  return weighting == Weighting::cic ? 1.0 / 6.0 : 0.25;
}

}  // namespace phasewise::collision
