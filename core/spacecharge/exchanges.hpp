// One rank's part in the exchanges of a kick. The mesh's charge is summed on the ranks that solve
// for parts of it, slabs or pencils; the transforms are transposed between planes of constant z and
// columns along z, and for pencils also between rows and lines of a plane; then the parts of the
// potential are shared with all ranks.
#pragma once

#include <string_view>
#include <vector>

#include "exchange/transpose_parts.hpp"
#include "field/doubled_box.hpp"
#include "spacecharge/division.hpp"
#include "spacecharge/settings.hpp"
#include "workload/workload.hpp"

namespace phasewise::spacecharge {

class Exchanges {
 public:
  // `nodes` are those of the team's ranks.
  Exchanges(const field::DoubledBox& grid, const Settings& settings, const workload::Nodes& nodes,
            const exchange::TeamPointer& team);

  const exchange::TeamPointer& team() const { return all_; }
  bool alone() const { return division_.ranks() == 1; }
  const Division& division() const { return division_; }
  // Every division of the ranks into teams that call the library together.
  std::vector<exchange::TeamOfDivision> teams() const;
  // This rank's part (division.hpp).
  Range planes() const { return division_.planes(grid_, rank_); }
  Range rows() const { return division_.rows(grid_, rank_); }
  Range lines() const { return division_.lines(grid_, rank_); }
  Range columns() const { return division_.columns(grid_, rank_); }
  Range green_planes() const;

  // Exchanges of the whole mesh [nz][nx][ny] as the only item, in place.
  const exchange::ExchangePointer& charge() const { return charge_; }
  const exchange::ExchangePointer& field() const { return field_; }
  // Transpose the transforms of this rank's lines in its planes to those of its columns, and back.
  exchange::TransposeExchange to_columns() const;
  exchange::TransposeExchange to_planes() const;
  // For pencils: transpose this rank's rows, transformed along y, to its lines, and back; each
  // plane is an item.
  exchange::TransposeExchange to_lines() const;
  exchange::TransposeExchange to_rows() const;
  // Transposes the Green function's planes to its columns.
  exchange::TransposeExchange green() const;

 private:
  struct Transposing {
    exchange::TeamPointer team;
    exchange::RoundsPointer rounds;
    exchange::TransposeParts parts;
  };
  Transposing transposing(const exchange::TeamPointer& team,
                          const exchange::DividedGrid& grid) const;
  exchange::TransposeExchange transpose(std::string_view phase, const Transposing& how,
                                        bool forwards, int grids = 1) const;

  field::DoubledBox grid_;
  int rank_;
  Division division_;
  exchange::Transpose algorithm_;
  exchange::TeamPointer all_, along_, across_;
  exchange::ExchangePointer charge_, field_;
  Transposing in_planes_, between_planes_, green_;
};

}  // namespace phasewise::spacecharge
