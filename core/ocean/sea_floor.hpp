// How deep the sea is: which levels of each cell and of each corner are sea.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ocean/grid.hpp"
#include "ocean/layout.hpp"

namespace phasewise::ocean {

// Of all ranks. Numbers of sea levels stand eastwards in each row from the south.
class SeaFloor {
 public:
  // Throws std::invalid_argument with one sentence if the mask is of land alone, or does not suit
  // the grid.
  SeaFloor(const Grid& grid, const MaskSetting& setting);
  // The same, made once for all ranks of a process that have the same study.
  static std::shared_ptr<const SeaFloor> shared(const Grid& grid, const MaskSetting& setting);

  // Sea levels of a cell; 0 on land and beyond walls. i and j may lie beyond the grid by two.
  int levels(int i, int j) const;
  // Of the corner in the north-east of a cell: the least of its four cells.
  int corner_levels(int i, int j) const;
  const std::vector<std::int16_t>& levels() const { return levels_; }
  SeaMask mask() const;

 private:
  int nx_, ny_;
  bool periodic_x_, periodic_y_;
  std::vector<std::int16_t> levels_;
};

}  // namespace phasewise::ocean
