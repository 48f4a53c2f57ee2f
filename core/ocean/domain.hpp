// The part of the ocean that a rank has: what does not change in time.
#pragma once

#include <cstdint>
#include <vector>

#include "ocean/grid.hpp"
#include "ocean/planes.hpp"
#include "ocean/row_loops.hpp"
#include "ocean/sea_floor.hpp"
#include "parallel/buffer.hpp"
#include "workload/planned_run.hpp"

namespace phasewise::ocean {

// Values of a rank's plane, all 0 at first. A vector may read beyond the last one.
parallel::Buffer<double> zeros(std::int64_t size);

// A row of a block.
struct RowPlace {
  int part;
  std::int64_t at;  // of its cell 0 in a plane
  int nx;
  int y;        // its row of the grid
  int levels;   // of its deepest cell
  int corners;  // of its deepest corner
};

class Domain {
 public:
  // Grid, sea floor and planes must outlive it. Without `baroclinic` fields have one level, which
  // is as thick as the sea is deep.
  Domain(const Grid& grid, const SeaFloor& floor, const Planes& planes, bool baroclinic,
         workload::Contents contents);

  const Grid& grid() const { return grid_; }
  const SeaFloor& floor() const { return floor_; }
  const Planes& planes() const { return planes_; }
  bool baroclinic() const { return baroclinic_; }
  // Of fields.
  int levels() const { return levels_; }
  std::int64_t plane() const { return planes_.size(); }
  std::int64_t pitch() const { return planes_.pitch(); }
  std::int64_t field() const { return levels_ * planes_.size(); }

  // Rows that have sea.
  const std::vector<RowPlace>& rows() const { return rows_; }
  // All rows of the blocks with so many more in the south and the north.
  std::vector<RowPlace> rows_with(int south, int north) const;
  // The cells of these rows, each with as many levels as the deepest cell or corner of its row.
  double cells() const { return cells_; }
  double corners() const { return corners_; }
  // Of these rows, without levels.
  double columns() const { return columns_; }
  // Mean length of the rows.
  double row_length() const { return rows_.empty() ? 1.0 : columns_ / rows_.size(); }
  RowPlace place(int part, int j) const;

  // Planes with ghosts. The numbers of sea levels of cells, of corners, and of both cells beside
  // the face in the east and in the north.
  const double* cell_levels() const { return statics_.data(); }
  const double* corner_levels() const { return statics_.data() + plane(); }
  const double* east_levels() const { return statics_.data() + 2 * plane(); }
  const double* north_levels() const { return statics_.data() + 3 * plane(); }
  // The depth of corners, and of cells [m].
  const double* corner_depth() const { return statics_.data() + 4 * plane(); }
  const double* cell_depth() const { return statics_.data() + 5 * plane(); }

  // The coupling of a level with the next deeper one: `twice`, two times what mixes in a timestep
  // [m²], over both thicknesses; 0 where there is none.
  double coupling(int level, double twice) const {
    if (level < 0 || level + 1 >= levels_) return 0.0;
    return twice / (grid_.thickness(level) + grid_.thickness(level + 1));
  }

  // The thickness of a level at the corners of a row [m], from corner 0 on, with two ghosts.
  const double* thickness(int level, const RowPlace& row) const {
    return baroclinic_ ? thickness_.data() + level * pitch() + ghosts : corner_depth() + row.at;
  }

 private:
  int clipped(int levels) const { return baroclinic_ ? levels : (levels > 0 ? 1 : 0); }
  void find_rows();
  void fill();

  const Grid& grid_;
  const SeaFloor& floor_;
  const Planes& planes_;
  bool baroclinic_;
  int levels_;
  std::vector<RowPlace> rows_;
  double cells_ = 0.0, corners_ = 0.0, columns_ = 0.0;
  parallel::Buffer<double> statics_, thickness_;
};

}  // namespace phasewise::ocean
