// The teams in which a rank of a divided collision exchanges.
#pragma once

#include <vector>

#include "collision/exchange/process_grid.hpp"
#include "exchange/team.hpp"

namespace phasewise::collision {

// The column, the row and the beam of this rank; none if one rank holds both beams.
inline std::vector<exchange::TeamOfDivision> teams_of(const ProcessGrid& grid, int rank) {
  if (!grid.divided()) return {};
  const Place& place = grid.place(rank);
  const int first_columns = grid.shape(0).prow, first_rows = grid.shape(0).pcol;
  return {{exchange::team_of(grid.column(place.beam, place.column), rank),
           place.beam * first_columns + place.column},
          {exchange::team_of(grid.row(place.beam, place.row), rank),
           place.beam * first_rows + place.row},
          {exchange::team_of(grid.beam(place.beam), rank), place.beam}};
}

}  // namespace phasewise::collision
