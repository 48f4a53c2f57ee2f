// What one rank needs to lay out its exchanges of a collision.
#pragma once

#include <cstdint>
#include <vector>

#include "collision/exchange/division.hpp"
#include "collision/exchange/planes.hpp"
#include "collision/exchange/schedule.hpp"
#include "collision/exchange/settings.hpp"
#include "exchange/exchange.hpp"

namespace phasewise::collision {

struct CollisionShape {
  int nx, ny;                              // mesh
  int mx, ky;                              // doubled grid: rows, and columns of its transform
  std::int64_t row_stride, column_stride;  // of the transform's rows and columns [values]
  Slices slices;                           // of each beam
  Planes planes;                           // of the field for each pair of slices
  bool luminosity;
  bool green_every_step;
};

// Ranks of a beam among which a phase exchanges.
enum class Among : std::uint8_t { column, row, beam };

// A team of this rank, and its rounds, which are null if the library does the exchange.
struct Member {
  exchange::TeamPointer team;
  exchange::RoundsPointer reduce, broadcast;
};

struct PlanBasis {
  PlanBasis(const CollisionShape& shape, const Settings& settings, const ProcessGrid& grid,
            int rank);

  const Shape& shape_of(int beam) const { return division.shape(beam); }
  bool same_shapes() const { return shape_of(0) == shape_of(1); }
  bool padded() const { return settings.padded && same_shapes(); }
  const Member& member(Among among) const {
    return among == Among::column ? column : among == Among::row ? row : beam;
  }
  // The ranks of a beam in the column or row with this rank's number, or the whole beam.
  std::vector<int> ranks(int of_beam, Among among) const;

  CollisionShape shape;
  const Settings& settings;
  Division division;
  int own, other;            // beams
  Member column, row, beam;  // empty if one rank holds both beams; `beam` also if unused
};

}  // namespace phasewise::collision
