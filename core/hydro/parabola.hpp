// Parabolas within zones, from zone means (Colella, Woodward, J. Comput. Phys. 54 (1984) 174,
// section 1). Mirrored means give mirrored bits.
#pragma once

#include "hydro/values.hpp"

namespace phasewise::hydro {

// The mean slope of a zone times its width, no larger than twice the differences from its
// neighbours, and zero at an extremum: `below` and `above` are these differences (1.8).
template <class V>
PHASEWISE_HD V limited(V slope, V below, V above) {
  const V least = smaller(magnitude(below), magnitude(above));
  const V size = smaller(magnitude(slope), least + least);
  const V none{};
  return below * above > none ? (slope > none ? size : -size) : none;
}

// Of zones of equal widths.
template <class V>
PHASEWISE_HD V uniform_slope(V below, V here, V above) {
  return limited(0.5 * (above - below), here - below, above - here);
}
template <class V>
PHASEWISE_HD V uniform_edge(V left, V right, V left_slope, V right_slope) {
  return 0.5 * (left + right) + (left_slope - right_slope) * (1.0 / 6.0);
}

// Weights of a slope (1.7) and of an edge (1.6) between zones of any widths.
template <class V>
struct SlopeWeights {
  V below, above;
};
template <class V>
PHASEWISE_HD V weighted_slope(const SlopeWeights<V>& weights, V below, V here, V above) {
  const V down = here - below, up = above - here;
  return limited(weights.below * down + weights.above * up, down, up);
}

template <class V>
struct EdgeWeights {
  V difference, left_slope, right_slope;
};
template <class V>
PHASEWISE_HD V weighted_edge(const EdgeWeights<V>& weights, V left, V right, V left_slope,
                             V right_slope) {
  const V slopes = weights.left_slope * left_slope - weights.right_slope * right_slope;
  return 0.5 * (left + right) + fused(weights.difference, right - left, slopes);
}

// Widths of a zone and of its neighbours; of each face the inverse of the two widths' sum.
template <class V>
PHASEWISE_HD SlopeWeights<V> slope_weights(V below, V here, V above, V inverse_below,
                                           V inverse_above) {
  const V share = here / ((below + above) + here);
  return {share * (fused(all_of<V>(2.0), above, here) * inverse_below),
          share * (fused(all_of<V>(2.0), below, here) * inverse_above)};
}

// Widths of the two zones on each side of a face.
template <class V>
PHASEWISE_HD EdgeWeights<V> edge_weights(V far_left, V left, V right, V far_right, V inverse_sum) {
  const V two = all_of<V>(2.0);
  const V outer_left = far_left + left, outer_right = right + far_right;
  const V sum_left = fused(two, left, right), sum_right = fused(two, right, left);
  const V inverse = 1.0 / ((outer_left + outer_right) * (sum_left * sum_right));
  const V from_left = (outer_left * sum_right) * inverse;
  const V from_right = (outer_right * sum_left) * inverse;
  const V bend = (2.0 * (left * right)) * (from_left - from_right);
  return {fused(all_of<V>(0.5), left - right, bend) * inverse_sum, right * from_right,
          left * from_left};
}

// A parabola by how far it rises from its left edge to the zone's mean, and from there to its right
// edge. It lies between its edges (1.10).
template <class V>
struct Parabola {
  V left, right;
};
template <class V>
PHASEWISE_HD Parabola<V> monotone(V left_edge, V mean, V right_edge, V steepness) {
  const V left = (mean - left_edge) * steepness, right = (right_edge - mean) * steepness;
  const V none{};
  const V most_left = right + right, most_right = left + left;
  const V a = magnitude(left) > magnitude(most_left) ? most_left : left;
  const V b = magnitude(right) > magnitude(most_right) ? most_right : right;
  const auto rises = left * right > none;
  return {rises ? a : none, rises ? b : none};
}

// The mean over the share f of a zone that lies at an edge differs from the zone's mean by
// (1 - f)² of the rise to that edge and f (1 - f) of the other one (1.12).
template <class V>
struct EdgeShare {
  V near, far;
  explicit PHASEWISE_HD EdgeShare(V share) {
    const V rest = 1.0 - share;
    near = rest * rest;
    far = share * rest;
  }
  PHASEWISE_HD V rise(V to_edge, V from_other) const {
    return fused(near, to_edge, far * from_other);
  }
};

// How steep the pressure is at a zone that a shock crosses: 0 to more than 1, from the pressures of
// two neighbours on each side (appendix, A.1 and A.2, with the constants of VH-1).
template <class V>
PHASEWISE_HD V shock_steepness(V far_below, V below, V above, V far_above, V velocity_below,
                               V velocity_above) {
  const V none{};
  const V step = above - below, wide = far_above - far_below;
  const auto shock = magnitude(step) > 0.33 * smaller(above, below);
  const auto meets = velocity_below > velocity_above;
  const auto candidate = shock & meets;
  if (!any(candidate)) return none;
  const auto along = step * wide > none;
  const V ratio = magnitude(step) / (along ? magnitude(wide) : V{} + 1.0);
  const V found = larger((ratio - 0.75) * 5.0, none);
  return candidate ? (along ? found : none) : none;
}

// A parabola in a zone that is steeper than this is flat to half its rise.
template <class V>
PHASEWISE_HD V flattening(V below, V here, V above) {
  return smaller(larger(larger(below, above), here), V{} + 0.5);
}

}  // namespace phasewise::hydro
