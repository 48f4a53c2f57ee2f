// What is measured on links that are handed over one time slice after the other, so that a lattice
// need not fit into memory.
#pragma once

#include <vector>

#include "qcd/gauge/loop_sums.hpp"

namespace phasewise::qcd {

class GaugeSlices {
 public:
  // The links of a box, which the grid in space and the place give: `grid` has one part along t.
  // Where a slice is divided, only plaquettes and links are measured.
  GaugeSlices(const Extents& size, const Extents& grid, const Extents& place, bool rectangles);

  // How many slices are needed beyond the one that is measured.
  int ahead() const { return ahead_; }
  // The next time slice of the box, [z][y][x][axis].
  void push(const Matrix* slice);
  // The links of a region beyond the box, in the slice that is measured; `first` is local.
  void put(const Extents& first, const Extents& region, const Matrix* links);
  // Adds what begins in the slice that was pushed `ahead` slices ago.
  void add();
  // The sums after the last slice.
  LoopSums sums() const;

  const Extents& size() const { return size_; }
  // The sites of a slice of the box.
  std::int64_t slice() const { return volume_of(box_); }

 private:
  Extents size_;
  int ahead_;
  bool rectangles_, whole_;  // whole: whether slices are not divided
  Links links_;              // the slice that is measured, and those ahead of it
  Extents box_;              // of one slice
  std::vector<Matrix> lines_, along_t_;
  bool begun_ = false;
  LoopSums sums_{};
};

}  // namespace phasewise::qcd
