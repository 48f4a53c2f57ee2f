// The Lagrangian half of a sweep, zone by zone and face by face: parabolas, the means over domains
// of dependence, Riemann's problem, and the motion of the zones.
#pragma once

#include "hydro/parabola.hpp"
#include "hydro/pencil_rows.hpp"
#include "hydro/riemann.hpp"

namespace phasewise::hydro {

// Angles across a pencil along a radius or a polar angle: gas that moves along it keeps its angular
// momentum in them, and pushes it outwards. Of the two velocities across, those that turn.
struct Turning {
  bool first = false, second = false;
  bool any() const { return first || second; }
};

struct SweepConstants {
  double gamma, density_floor, pressure_floor, timestep;
  bool carries_flattening, has_gravity;
  Turning turning;
};

template <class V>
struct PencilWork {
  const SweepConstants& constants;
  const PencilTables& tables;
  PencilScale<V> scale;
  PencilRows<V>& rows;
};

template <class V>
PHASEWISE_HD void find_slope(const PencilWork<V>& work, int i) {
  PencilRows<V>& rows = work.rows;
  const V* const* s = rows.state;
  for (int q = 0; q < characteristic; ++q)
    rows.slope[q][i] = uniform_slope(s[q][i - 1], s[q][i], s[q][i + 1]);
  const V density = s[field::density][i];
  const V impedance = square_root((work.constants.gamma * s[field::pressure][i]) * density);
  rows.impedance[i] = impedance;
  rows.inverse_density[i] = 1.0 / density;
  rows.share[i] =
      (impedance * rows.inverse_density[i]) * (work.constants.timestep * work.scale.inverse_width);
}

// What the centrifugal force on a zone adds to its acceleration along the pencil.
template <Shape shape, class V>
PHASEWISE_HD V centrifugal(const PencilWork<V>& work, V first, V second, V arm, V change) {
  const V none{};
  const Turning& turning = work.constants.turning;
  const V squares =
      (turning.first ? square(first) : none) + (turning.second ? square(second) : none);
  const V force = squares * (change / arm);
  if constexpr (shape == Shape::polar) return force * work.scale.inverse_radius;
  return force;
}

// The acceleration of a zone before the step.
template <Shape shape, class V>
PHASEWISE_HD V acceleration(const PencilWork<V>& work, int i) {
  V sum{};
  if (work.constants.has_gravity) sum = work.rows.gravity[i];
  if constexpr (shape != Shape::flat)
    if (work.constants.turning.any())
      sum = sum + centrifugal<shape>(work, work.rows.state[across][i],
                                     work.rows.state[across + 1][i], all_of<V>(work.tables.arm[i]),
                                     all_of<V>(work.tables.arm_change[i]));
  return sum;
}

// The flattening of zone i in this sweep, or that of the sweep before.
template <class V>
PHASEWISE_HD V flattening_of(const PencilWork<V>& work, int i) {
  const V flat = work.rows.flat[i];
  return work.constants.carries_flattening ? larger(flat, work.rows.carried[i]) : flat;
}
template <class V>
PHASEWISE_HD void flatten(V flat, V& left, V& right) {
  const V rest = 1.0 - flat;
  left = left * rest;
  right = right * rest;
}

// The share of its density that gas loses in half a timestep because the area across grows.
template <Shape shape, class V>
PHASEWISE_HD V spreading(const PencilWork<V>& work, int i) {
  V growth = all_of<V>((shape == Shape::sphere ? 2.0 : 1.0) * work.tables.arm_change[i] /
                       work.tables.arm[i]);
  if constexpr (shape == Shape::polar) growth = growth * work.scale.inverse_radius;
  const V found = (0.5 * work.constants.timestep) * growth * work.rows.state[normal][i];
  return smaller(larger(found, all_of<V>(-0.5)), all_of<V>(0.5));
}

template <Shape shape, class V>
PHASEWISE_HD void find_states(const PencilWork<V>& work, int i) {
  PencilRows<V>& rows = work.rows;
  const V *p = rows.state[field::pressure], *u = rows.state[normal];
  rows.flat[i] =
      flattening(shock_steepness(p[i - 2], p[i - 1], p[i + 1], p[i + 2], u[i - 1], u[i + 1]));
  const V flat = flattening_of(work, i);
  const bool flattens = any(flat > V{});
  const EdgeShare<V> share(rows.share[i]);
  for (int q = 0; q < characteristic; ++q) {
    const V *a = rows.state[q], *slope = rows.slope[q];
    V left = uniform_rises(a[i - 1], a[i], slope[i - 1], slope[i]).above;
    V right = uniform_rises(a[i], a[i + 1], slope[i], slope[i + 1]).below;
    if (flattens) flatten(flat, left, right);
    const Parabola<V> parabola = monotone(left, right);
    rows.right[q][i] = a[i] - share.rise(parabola.left, parabola.right);
    rows.left[q][i + 1] = a[i] + share.rise(parabola.right, parabola.left);
  }
  if constexpr (shape != Shape::flat) {
    const V spread = spreading<shape>(work, i);
    rows.right[field::density][i] = rows.right[field::density][i] * (1.0 - spread);
    rows.left[field::density][i + 1] = rows.left[field::density][i + 1] * (1.0 - spread);
    rows.right[field::pressure][i] =
        rows.right[field::pressure][i] * (1.0 - work.constants.gamma * spread);
    rows.left[field::pressure][i + 1] =
        rows.left[field::pressure][i + 1] * (1.0 - work.constants.gamma * spread);
  }
  const V kick = (0.5 * work.constants.timestep) * acceleration<shape>(work, i);
  rows.right[normal][i] = rows.right[normal][i] + kick;
  rows.left[normal][i + 1] = rows.left[normal][i + 1] + kick;
}

template <class V>
PHASEWISE_HD TwoShocks<V> riemann_problem(const PencilWork<V>& work, int i) {
  const PencilRows<V>& rows = work.rows;
  const auto side = [&](V* const* of, int zone) {
    return RiemannSide<V>{of[field::density][i], of[field::pressure][i], of[normal][i],
                          rows.impedance[zone]};
  };
  return {side(rows.left, i - 1), side(rows.right, i), work.constants.gamma,
          work.constants.pressure_floor};
}

// Beside a vacuum a face would outrun the gas, for which the timestep was chosen, and pass the
// face beyond it: it moves by half a zone, or with the gas if that is faster.
template <class V>
PHASEWISE_HD void set_face(const PencilWork<V>& work, int i, const RiemannState<V>& state) {
  const PencilRows<V>& rows = work.rows;
  const double timestep = work.constants.timestep;
  const V gas = larger(magnitude(rows.state[normal][i - 1]), magnitude(rows.state[normal][i]));
  const V most = larger(0.49 * work.scale.width, timestep * gas);
  const V move = timestep * state.velocity;
  rows.push[i] = state.pressure;
  rows.move[i] = with_sign(smaller(magnitude(move), most), move);
}

// The centre of zone i after its faces have moved, relative to its place before.
template <Shape shape, class V>
PHASEWISE_HD V arm_after(const PencilWork<V>& work, int i, V shift) {
  const V arm = all_of<V>(work.tables.arm[i]), change = all_of<V>(work.tables.arm_change[i]);
  if constexpr (shape != Shape::polar) return arm + change * shift;
  const V h = shift * work.scale.inverse_radius, h2 = h * h;
  return arm * (1.0 - 0.5 * h2) + change * (h * (1.0 - h2 * (1.0 / 6.0)));
}

// Gives the zone its new velocities across the pencil; returns the centrifugal force after it.
template <Shape shape, class V>
PHASEWISE_HD V turn(const PencilWork<V>& work, int i, V shift, V& first, V& second) {
  const Turning& turning = work.constants.turning;
  const V after = arm_after<shape>(work, i, shift);
  const V factor = work.tables.arm[i] / after;
  if (turning.first) first = first * factor;
  if (turning.second) second = second * factor;
  V change = all_of<V>(work.tables.arm_change[i]);
  if constexpr (shape == Shape::polar)
    change = change - work.tables.arm[i] * (shift * work.scale.inverse_radius);
  return centrifugal<shape>(work, first, second, after, change);
}

// Moves zone i with its faces.
template <Shape shape, class V>
PHASEWISE_HD void move_zone(const PencilWork<V>& work, int i) {
  PencilRows<V>& rows = work.rows;
  const SweepConstants& c = work.constants;
  const V move = rows.move[i], next_move = rows.move[i + 1];
  const V push = rows.push[i], next_push = rows.push[i + 1];
  const Swept<V> low = swept<shape>(work.tables, work.scale, i, move);
  const Swept<V> high = swept<shape>(work.tables, work.scale, i + 1, next_move);
  const V volume = volume_of<shape>(work.tables, work.scale, i);
  const V inverse_volume = inverse_volume_of<shape>(work.tables, work.scale, i);
  const V ratio = volume / (volume + (high.volume - low.volume));
  rows.width[i] = work.scale.width + (next_move - move);
  if constexpr (shape == Shape::flat)
    rows.inverse_width[i] = ratio * work.scale.inverse_width;
  else
    rows.inverse_width[i] = 1.0 / rows.width[i];

  const V density = rows.state[field::density][i], u = rows.state[normal][i];
  V first = rows.state[across][i], second = rows.state[across + 1][i];
  V force{}, work_done{}, turned{};
  if (c.has_gravity) force = 2.0 * rows.gravity[i];
  if constexpr (shape != Shape::flat)
    if (c.turning.any()) {
      const V before = acceleration<shape>(work, i) - (c.has_gravity ? rows.gravity[i] : V{});
      const V squares = square(first) + square(second);
      force = force + (before + turn<shape>(work, i, 0.5 * (move + next_move), first, second));
      turned = squares - (square(first) + square(second));
    }
  const V area = 0.5 * (low.area + high.area);
  const V gain =
      (0.5 * c.timestep) * force -
      ((c.timestep * inverse_volume) * rows.inverse_density[i]) * (area * (next_push - push));
  const V new_u = u + gain;
  if (c.has_gravity) work_done = c.timestep * rows.gravity[i] * (u + new_u);
  const V kinetic = (turned - gain * (u + new_u)) + work_done;  // twice what was lost
  const V expansion = inverse_volume * (high.volume * next_push - low.volume * push);
  const V pressure = ratio * (rows.state[field::pressure][i] +
                              (c.gamma - 1.0) * ((0.5 * density) * kinetic - expansion));
  rows.moved[field::density][i] = density * ratio;
  rows.moved[field::pressure][i] = larger(pressure, all_of<V>(c.pressure_floor));
  rows.moved[normal][i] = new_u;
  rows.moved[across][i] = first;
  rows.moved[across + 1][i] = second;
}

}  // namespace phasewise::hydro
