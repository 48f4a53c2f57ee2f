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
  return if_signs_agree(with_sign(size, slope), below, above);
}

// A parabola by how far it rises from its left edge to the zone's mean, and from there to its right
// edge, both times two.
template <class V>
struct Parabola {
  V left, right;
};

// The rises beside a face: from the mean of the zone below it to the face, and from there to the
// mean of the zone above; both times two.
template <class V>
struct FaceRises {
  V below, above;
};

// Of zones of equal widths.
template <class V>
PHASEWISE_HD V uniform_slope(V below, V here, V above) {
  return limited(0.5 * (above - below), here - below, above - here);
}
template <class V>
PHASEWISE_HD FaceRises<V> uniform_rises(V left, V right, V left_slope, V right_slope) {
  const V step = right - left, bend = (left_slope - right_slope) * (1.0 / 3.0);
  return {step + bend, step - bend};
}

// Weights of a slope (1.7) and of an edge (1.6) between zones of any widths; those of an edge are
// times two.
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
PHASEWISE_HD FaceRises<V> weighted_rises(const EdgeWeights<V>& weights, V left, V right,
                                         V left_slope, V right_slope) {
  const V step = right - left;
  const V slopes = weights.left_slope * left_slope - weights.right_slope * right_slope;
  const V bend = fused(weights.difference, step, slopes);
  return {step + bend, step - bend};
}

// Widths of a zone and of its neighbours; of each face the inverse of the two widths' sum.
template <class V>
PHASEWISE_HD SlopeWeights<V> slope_weights(V below, V here, V above, V inverse_below,
                                           V inverse_above) {
  const V share = here / ((below + above) + here);
  return {share * (((above + above) + here) * inverse_below),
          share * (((below + below) + here) * inverse_above)};
}

// Widths of the two zones on each side of a face.
template <class V>
PHASEWISE_HD EdgeWeights<V> edge_weights(V far_left, V left, V right, V far_right, V inverse_sum) {
  const V outer_left = far_left + left, outer_right = right + far_right;
  const V two_left = left + left, two_right = right + right;
  const V sum_left = two_left + right, sum_right = two_right + left;
  const V inverse = 1.0 / ((outer_left + outer_right) * (sum_left * sum_right));
  const V from_left = (outer_left * sum_right) * inverse;
  const V from_right = (outer_right * sum_left) * inverse;
  const V bend = (two_left * two_right) * (from_left - from_right);
  return {((left - right) + bend) * inverse_sum, two_right * from_right, two_left * from_left};
}

// The parabola that lies between its edges (1.10).
template <class V>
PHASEWISE_HD Parabola<V> monotone(V left, V right) {
  const V a = magnitude(left), b = magnitude(right);
  const V least_left = smaller(a, b + b), least_right = smaller(b, a + a);
  return {if_signs_agree(with_sign(least_left, left), left, right),
          if_signs_agree(with_sign(least_right, right), left, right)};
}

// The mean over the share f of a zone that lies at an edge differs from the zone's mean by
// (1 - f)² of the rise to that edge and f (1 - f) of the other one (1.12).
template <class V>
struct EdgeShare {
  V near, far;  // half of these, for rises times two
  explicit PHASEWISE_HD EdgeShare(V share) {
    const V rest = 1.0 - share, half = 0.5 * rest;
    near = half * rest;
    far = half * share;
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

// The share of its rise that a parabola loses in a zone of this steepness. VH-1 takes the largest
// steepness of three neighbours. The zone's own gives narrower fronts: the shocks of Sedov and of
// Noh lie nearer to their places, and the noise behind slow shocks is about as loud.
template <class V>
PHASEWISE_HD V flattening(V steepness) {
  return smaller(steepness, V{} + 0.5);
}

}  // namespace phasewise::hydro
