// The temporaries of a sweep: a row has one value for each zone, or face, of a pencil and of its
// ghosts.
#pragma once

#include <cstdint>

#include "hydro/pencil_geometry.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::hydro {

// The density, the pressure and the velocities along and across the pencil.
inline constexpr int normal = 2, across = 3, quantities = 5;
// Those that have parabolas before the zones move.
inline constexpr int characteristic = 3;

template <class V>
struct PencilRows {
  explicit PencilRows(int zones)
      : stride(zones + 2 * ghosts + 1), values(stride * rows * lanes_of<V>) {
    V* next = reinterpret_cast<V*>(values.data()) + ghosts;
    const auto take = [&] {
      V* const row = next;
      next += stride;
      return row;
    };
    for (V*& row : state) row = take();
    for (V*& row : slope) row = take();
    for (V*& row : left) row = take();
    for (V*& row : right) row = take();
    for (V*& row : moved) row = take();
    for (V*& row : moved_slope) row = take();
    for (V** row : {&carried, &gravity, &shock, &flat, &impedance, &inverse_density, &share, &move,
                    &push, &width, &inverse_width, &inverse_sum})
      *row = take();
  }

  static constexpr int rows = 3 * quantities + 3 * characteristic + 12;
  std::int64_t stride;
  parallel::Buffer<double> values;

  V* state[quantities];            // before the sweep
  V *carried, *gravity;            // flattening of the sweep before; acceleration
  V* slope[characteristic];        // of density, pressure and normal velocity
  V *shock, *flat;                 // steepness of a shock, and the sweep's own flattening
  V *impedance, *inverse_density;  // ρ c, 1/ρ
  V* share;                        // of a zone, that sound crosses in the timestep
  V *left[characteristic], *right[characteristic];  // states beside a face
  V *move, *push;            // of a face: how far it moves, and the pressure on it
  V* moved[quantities];      // the state after the Lagrangian step
  V *width, *inverse_width;  // of a moved zone
  V* inverse_sum;            // of a face: 1 / (widths of the moved zones beside it)
  V* moved_slope[quantities];
};

}  // namespace phasewise::hydro
