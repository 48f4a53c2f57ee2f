// How a collision is divided: slices over the columns of a beam's process grid, and the rows of a
// slice's mesh and the columns of its transform over the processes of a column.
#pragma once

#include <algorithm>
#include <utility>

#include "collision/exchange/process_grid.hpp"
#include "exchange/share.hpp"

namespace phasewise::collision {

// The intersection of two ranges, possibly empty.
inline std::pair<int, int> common(std::pair<int, int> a, std::pair<int, int> b) {
  const int begin = std::max(a.first, b.first);
  return {begin, std::max(begin, std::min(a.second, b.second))};
}

struct Division {
  const ProcessGrid& grid;
  int rank;
  int nx;  // rows of the mesh
  int ky;  // columns of its transform: ny + 1 if the doubled grid has 2 ny

  const Shape& shape(int beam) const { return grid.shape(beam); }
  // The place of this rank in its beam's grid; a single rank has place 0, 0 in both.
  int column() const { return grid.divided() ? grid.place(rank).column : 0; }
  int row() const { return grid.divided() ? grid.place(rank).row : 0; }
  bool holds(int beam) const { return grid.holds(rank, beam); }

  // Rows of the mesh [begin, end) that process `row` of a column solves for.
  std::pair<int, int> rows(int beam, int row) const {
    return exchange::share(nx, shape(beam).pcol, row);
  }
  // Columns of the transform [begin, end) that this process works on.
  std::pair<int, int> transform_columns(int beam, int row) const {
    return exchange::share(ky, shape(beam).pcol, row);
  }
  // The column that solves for a slice of a beam.
  int column_of(int beam, int slice) const { return slice % shape(beam).prow; }
};

}  // namespace phasewise::collision
