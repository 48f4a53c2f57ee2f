// How the phases of a collision exchange their data, from a study's [communication].
#pragma once

#include <array>
#include <vector>

#include "collision/exchange/process_grid.hpp"
#include "exchange/phase_setting.hpp"

namespace phasewise::collision {

struct Settings {
  // True: over all ranks of a beam at once (direct, node-aware). False: first in the columns, then
  // in the rows.
  bool reduce_at_once = false;
  bool broadcast_at_once = false;
  exchange::PhaseSetting reduce, reduce_column, reduce_row;
  exchange::PhaseSetting broadcast, broadcast_row, broadcast_column;
  exchange::Transpose green = exchange::Transpose::pairwise, solve = exchange::Transpose::pairwise;
  bool aggregate_solve = true;
  bool crossing_in_row = true;  // 4a: the beams exchange potentials along the rows
  bool overlap = false;
  // If true, all columns handle in every step as many slices as the fullest column, as in the
  // source paper's code; otherwise only their own. Ignored if the beams' grids differ.
  bool padded = false;

  std::array<Shape, 2> shapes{Shape{0, 0}, Shape{0, 0}};  // zeros: the default for the ranks
  Layout layout = Layout::column_first;
  std::vector<Place> places;  // those that a file gives
};

}  // namespace phasewise::collision
