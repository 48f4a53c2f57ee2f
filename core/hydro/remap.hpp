// The second half of a sweep: the gas of the moved zones is given to the zones of the grid, with
// parabolas in the moved zones. Mass, momentum and energy that cross a face leave one zone and
// reach the other.
//
// Sums are written as differences from the moved zone's own state, so that a uniform state keeps
// its bits. In the frame that moves with the zone, a face's gas has the energy p/(γ-1) and the
// kinetic energy of its velocity relative to the zone.
#pragma once

#include "hydro/lagrange.hpp"

namespace phasewise::hydro {

template <class V>
PHASEWISE_HD void find_inverse_sum(const PencilWork<V>& work, int i) {
  work.rows.inverse_sum[i] = 1.0 / (work.rows.width[i - 1] + work.rows.width[i]);
}

template <class V>
PHASEWISE_HD void find_moved_slope(const PencilWork<V>& work, int i) {
  PencilRows<V>& rows = work.rows;
  const V* width = rows.width;
  const SlopeWeights<V> weights = slope_weights(width[i - 1], width[i], width[i + 1],
                                                rows.inverse_sum[i], rows.inverse_sum[i + 1]);
  for (int q = 0; q < quantities; ++q) {
    const V* a = rows.moved[q];
    rows.moved_slope[q][i] = weighted_slope(weights, a[i - 1], a[i], a[i + 1]);
  }
}

// Edges between zones i - 1 and i.
template <class V>
PHASEWISE_HD void find_moved_edges(const PencilWork<V>& work, int i, V edges[quantities]) {
  const PencilRows<V>& rows = work.rows;
  const V* width = rows.width;
  const EdgeWeights<V> weights =
      edge_weights(width[i - 2], width[i - 1], width[i], width[i + 1], rows.inverse_sum[i]);
  for (int q = 0; q < quantities; ++q)
    edges[q] = weighted_edge(weights, rows.moved[q][i - 1], rows.moved[q][i],
                             rows.moved_slope[q][i - 1], rows.moved_slope[q][i]);
}

// What crosses a face: a volume of gas with this mean state.
template <class V>
struct Crossing {
  V volume;
  V state[quantities];
};

// The gas that crosses face i comes from zone i - 1 or i, whose parabolas are `before` and `after`.
template <Shape shape, class V>
PHASEWISE_HD Crossing<V> crossing(const PencilWork<V>& work, int i,
                                  const Parabola<V> before[quantities],
                                  const Parabola<V> after[quantities]) {
  const PencilRows<V>& rows = work.rows;
  const V move = rows.move[i];
  const auto upwards = move > V{};
  const V inverse_width = upwards ? rows.inverse_width[i - 1] : rows.inverse_width[i];
  EdgeShare<V> share(magnitude(move) * inverse_width);
  share.near = upwards ? share.near : -share.near;
  share.far = upwards ? share.far : -share.far;
  Crossing<V> found;
  found.volume = swept<shape>(work.tables, work.scale, i, move).volume;
  for (int q = 0; q < quantities; ++q) {
    const V mean = upwards ? rows.moved[q][i - 1] : rows.moved[q][i];
    const V to_edge = upwards ? before[q].right : after[q].left;
    const V from_other = upwards ? before[q].left : after[q].right;
    found.state[q] = mean + share.rise(to_edge, from_other);
  }
  return found;
}

// The state of zone i on the grid, from what crosses its faces.
template <Shape shape, class V>
PHASEWISE_HD void remap_zone(const PencilWork<V>& work, int i, const Crossing<V>& low,
                             const Crossing<V>& high, V state[quantities]) {
  const PencilRows<V>& rows = work.rows;
  const V inverse_volume = inverse_volume_of<shape>(work.tables, work.scale, i);
  const double half = 0.5 * (work.constants.gamma - 1.0);
  V change[2];
  for (int q = 0; q < normal; ++q) {
    const V a = rows.moved[q][i];
    change[q] = low.volume * (low.state[q] - a) - high.volume * (high.state[q] - a);
  }
  const V density = rows.moved[field::density][i] + change[field::density] * inverse_volume;
  const V mass_low = low.volume * low.state[field::density];
  const V mass_high = high.volume * high.state[field::density];
  const V per_mass = inverse_volume / density;
  V square_low{}, square_high{}, square_change{};
  for (int q = normal; q < quantities; ++q) {
    const V a = rows.moved[q][i];
    const V relative_low = low.state[q] - a, relative_high = high.state[q] - a;
    const V gain = (mass_low * relative_low - mass_high * relative_high) * per_mass;
    square_low = square_low + relative_low * relative_low;
    square_high = square_high + relative_high * relative_high;
    square_change = square_change + gain * gain;
    state[q] = a + gain;
  }
  const V energy =
      change[field::pressure] + half * (mass_low * square_low - mass_high * square_high);
  state[field::density] = density;
  state[field::pressure] =
      (rows.moved[field::pressure][i] + energy * inverse_volume) - half * (density * square_change);
}

}  // namespace phasewise::hydro
