// How particles share values with the nodes of the mesh.
#pragma once

namespace phasewise::collision {

// How a particle shares its charge among the nodes of the mesh: bilinear or quadratic.
enum class Weighting { cic, tsc };

// How linear weights round a product and the sum after it: one after the other, or together.
enum class Arithmetic { separate, fused };

// The variance in each direction, in h², over which the weights spread a charge: with linear
// weights the average over its places in a cell, with quadratic ones the same at any place.
constexpr double weights_spread(Weighting weighting) {
  return weighting == Weighting::cic ? 1.0 / 6.0 : 0.25;
}

}  // namespace phasewise::collision
