// The values of the pencils of a batch, and the temporaries of a sweep. A row has a value for each
// zone, or face, of a pencil; a value has a lane for each pencil of a group.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "hydro/batch_copy.hpp"
#include "hydro/pencil_geometry.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::hydro {

// The density, the pressure and the velocities along and across the pencil.
inline constexpr int normal = 2, across = 3, quantities = 5;
// Those that have parabolas before the zones move.
inline constexpr int characteristic = 3;

// The quantities of a batch and the flattening of the sweep before, with ghost zones.
template <class V>
class BatchRows {
 public:
  BatchRows(int zones, int batch)
      : groups_((batch + lanes_of<V> - 1) / lanes_of<V>),
        stride_(zones + 2 * ghosts),
        values_(groups_ * rows * stride_ * lanes_of<V>) {
    std::memset(static_cast<void*>(values_.data()), 0, values_.size() * sizeof(double));
  }

  static constexpr int rows = quantities + 1, carried = quantities;
  // The rows of a quantity.
  GroupRows<V> rows_of(int q) {
    return {reinterpret_cast<V*>(values_.data()) + q * stride_ + ghosts, rows * stride_};
  }

 private:
  std::int64_t groups_, stride_;
  parallel::Buffer<double> values_;
};

// Temporaries of a group, of which the last zones alone are kept as the sweep proceeds.
template <class V>
class PencilRows {
 public:
  // `block`: the zones that the loops take at once, at most.
  PencilRows(int zones, int block)
      : block_(block),
        gravity_(static_cast<std::int64_t>(zones + 2 * ghosts) * lanes_of<V>),
        values_(static_cast<std::int64_t>(rows) * (block + kept) * lanes_of<V>) {
    std::memset(static_cast<void*>(values_.data()), 0, values_.size() * sizeof(double));
    gravity = reinterpret_cast<V*>(gravity_.data()) + ghosts;
  }

  int block() const { return block_; }

  // The next block begins with zone i. What lies up to `kept` zones below it remains.
  void begin(int i) {
    const std::int64_t stride = block_ + kept;
    V* row = reinterpret_cast<V*>(values_.data());
    for (V** of : temporaries()) {
      if (begun_) std::memmove(static_cast<void*>(row), *of + i - kept, kept * sizeof(V));
      *of = row + kept - i;
      row += stride;
    }
    begun_ = true;
  }
  void restart() { begun_ = false; }

  V* state[quantities] = {};                        // before the sweep, in the batch
  V *carried = nullptr, *gravity;                   // flattening of the sweep before; acceleration
  V* slope[characteristic];                         // of density, pressure and normal velocity
  V* flat;                                          // the sweep's own flattening
  V *impedance, *inverse_density;                   // ρ c, 1/ρ
  V* share;                                         // of a zone, that sound crosses in the timestep
  V *left[characteristic], *right[characteristic];  // states beside a face
  V *move, *push;            // of a face: how far it moves, and the pressure on it
  V* moved[quantities];      // the state after the Lagrangian step
  V *width, *inverse_width;  // of a moved zone
  V* inverse_sum;            // of a face: 1 / (widths of the moved zones beside it)
  V* moved_slope[quantities];

 private:
  static constexpr int rows = 2 * quantities + 3 * characteristic + 9, kept = 8;

  std::array<V**, rows> temporaries() {
    std::array<V**, rows> found{&flat, &impedance, &inverse_density, &share,      &move,
                                &push, &width,     &inverse_width,   &inverse_sum};
    std::size_t next = 9;
    for (int q = 0; q < characteristic; ++q)
      for (V** row : {&slope[q], &left[q], &right[q]}) found[next++] = row;
    for (int q = 0; q < quantities; ++q)
      for (V** row : {&moved[q], &moved_slope[q]}) found[next++] = row;
    return found;
  }

  int block_;
  bool begun_ = false;
  parallel::Buffer<double> gravity_, values_;
};

}  // namespace phasewise::hydro
