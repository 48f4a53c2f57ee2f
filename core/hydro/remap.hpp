// The second half of a sweep: the gas of the moved zones is given to the zones of the grid, with
// parabolas in the moved zones. Mass, momentum and energy that cross a face leave one zone and
// reach the other.
//
// Sums are written as differences from the moved zone's own state, so that a uniform state keeps
// its bits. In the frame that moves with the zone, a face's gas has the energy p/(γ-1) and the
// kinetic energy of its velocity relative to the zone.
#pragma once

#include "hydro/steepening.hpp"

namespace phasewise::hydro {

template <class V>
PHASEWISE_HD void find_inverse_sum(const PencilWork<V>& work, int i) {
  work.rows.inverse_sum[i] = 1.0 / (work.rows.width[i - 1] + work.rows.width[i]);
}

// `Moving` is how many quantities differ from zero: velocities across the pencil that vanish in all
// pencils stay so.
template <int Moving, class V>
PHASEWISE_HD void find_moved_slope(const PencilWork<V>& work, int i) {
  PencilRows<V>& rows = work.rows;
  const V* width = rows.width;
  const SlopeWeights<V> weights = slope_weights(width[i - 1], width[i], width[i + 1],
                                                rows.inverse_sum[i], rows.inverse_sum[i + 1]);
  for (int q = 0; q < Moving; ++q) {
    const V* a = rows.moved[q];
    rows.moved_slope[q][i] = weighted_slope(weights, a[i - 1], a[i], a[i + 1]);
  }
}

// What crosses a face: a volume of gas with this mean state, and its mass.
template <int Moving, class V>
struct Crossing {
  V volume, mass;
  V state[Moving];
};

// What the remap of a zone leaves for the next one.
template <int Moving, class V>
struct RemapCarry {
  V left[Moving];              // rises from the face below to the zone's means
  Parabola<V> before[Moving];  // of the zone below
  Crossing<Moving, V> low;
};

// The gas that crosses face i comes from zone i - 1 or i, whose parabolas are `before` and `after`.
template <Shape shape, int Moving, class V>
PHASEWISE_HD void find_crossing(const PencilWork<V>& work, int i, const Parabola<V>* before,
                                const Parabola<V>* after, Crossing<Moving, V>& found) {
  const PencilRows<V>& rows = work.rows;
  const V move = rows.move[i];
  const auto upwards = move > V{};
  const V inverse_width = upwards ? rows.inverse_width[i - 1] : rows.inverse_width[i];
  const EdgeShare<V> share(magnitude(move) * inverse_width);
  const V near = with_sign(share.near, move), far = with_sign(share.far, move);
  found.volume = swept<shape>(work.tables, work.scale, i, move).volume;
  for (int q = 0; q < Moving; ++q) {
    const V mean = upwards ? rows.moved[q][i - 1] : rows.moved[q][i];
    const V to_edge = upwards ? before[q].right : after[q].left;
    const V from_other = upwards ? before[q].left : after[q].right;
    found.state[q] = mean + fused(near, to_edge, far * from_other);
  }
  found.mass = found.volume * found.state[field::density];
}

// The state of zone i on the grid, from what crosses its faces.
template <Shape shape, int Moving, class V>
PHASEWISE_HD void remap_zone(const PencilWork<V>& work, int i, const Crossing<Moving, V>& low,
                             const Crossing<Moving, V>& high, V state[quantities]) {
  const PencilRows<V>& rows = work.rows;
  const V inverse_volume = inverse_volume_of<shape>(work.tables, work.scale, i);
  const double half = 0.5 * (work.constants.gamma - 1.0);
  const V old_density = rows.moved[field::density][i],
          old_pressure = rows.moved[field::pressure][i];
  const V gained = low.volume * (low.state[field::density] - old_density) -
                   high.volume * (high.state[field::density] - old_density);
  const V density = old_density + gained * inverse_volume;
  const V per_mass = inverse_volume / density;
  V kinetic{}, lost{};
  for (int q = normal; q < Moving; ++q) {
    const V a = rows.moved[q][i];
    const V relative_low = low.state[q] - a, relative_high = high.state[q] - a;
    const V momentum_low = low.mass * relative_low, momentum_high = high.mass * relative_high;
    const V gain = (momentum_low - momentum_high) * per_mass;
    kinetic = kinetic + (momentum_low * relative_low - momentum_high * relative_high);
    lost = lost + gain * gain;
    state[q] = a + gain;
  }
  for (int q = Moving; q < quantities; ++q) state[q] = V{};
  const V energy = (low.volume * (low.state[field::pressure] - old_pressure) -
                    high.volume * (high.state[field::pressure] - old_pressure)) +
                   half * kinetic;
  state[field::density] = density;
  state[field::pressure] = (old_pressure + energy * inverse_volume) - half * (density * lost);
}

// What zone i needs of the face below it.
template <int Moving, class V>
PHASEWISE_HD void begin_remap(const PencilWork<V>& work, int i, RemapCarry<Moving, V>& carry) {
  const PencilRows<V>& rows = work.rows;
  const V* width = rows.width;
  const EdgeWeights<V> weights =
      edge_weights(width[i - 2], width[i - 1], width[i], width[i + 1], rows.inverse_sum[i]);
  for (int q = 0; q < Moving; ++q)
    carry.left[q] = weighted_rises(weights, rows.moved[q][i - 1], rows.moved[q][i],
                                   rows.moved_slope[q][i - 1], rows.moved_slope[q][i])
                        .above;
}

// Makes the parabolas of zone i, and with them what crosses face i. Then zone i - 1 is complete:
// its state is written, if it is one of the grid's.
template <Shape shape, int Moving, class V, class Write>
PHASEWISE_HD void remap_step(const PencilWork<V>& work, int i, RemapCarry<Moving, V>& carry,
                             Write&& write) {
  const PencilRows<V>& rows = work.rows;
  const V* width = rows.width;
  const EdgeWeights<V> weights =
      edge_weights(width[i - 1], width[i], width[i + 1], width[i + 2], rows.inverse_sum[i + 1]);
  const V flat = flattening_of(work, i);
  const bool flattens = any(flat > V{});
  Parabola<V> here[Moving];
  for (int q = 0; q < Moving; ++q) {
    const FaceRises<V> face = weighted_rises(weights, rows.moved[q][i], rows.moved[q][i + 1],
                                             rows.moved_slope[q][i], rows.moved_slope[q][i + 1]);
    V left = carry.left[q], right = face.below;
    carry.left[q] = face.above;
    if (q == field::density) steepen(work, i, left, right);
    if (flattens) flatten(flat, left, right);
    here[q] = monotone(left, right);
  }
  Crossing<Moving, V> high;
  find_crossing<shape>(work, i, carry.before, here, high);
  if (i >= 1) {
    V state[quantities];
    remap_zone<shape>(work, i - 1, carry.low, high, state);
    write(i - 1, state);
  }
  carry.low = high;
  for (int q = 0; q < Moving; ++q) carry.before[q] = here[q];
}

}  // namespace phasewise::hydro
