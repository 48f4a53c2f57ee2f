#include "qcd/gauge/gauge_slices.hpp"

#include <algorithm>

namespace phasewise::qcd {
namespace {

// A lattice of as many time slices as are kept, around which t is taken.
Domain kept_slices(const Extents& size, const Extents& grid, const Extents& place, int slices) {
  return {.size = {size[0], size[1], size[2], slices},
          .grid = {grid[0], grid[1], grid[2], 1},
          .place = {place[0], place[1], place[2], 0}};
}

}  // namespace

GaugeSlices::GaugeSlices(const Extents& size, const Extents& grid, const Extents& place,
                         bool rectangles)
    : size_(size),
      ahead_(size[3] == 1 ? 0
             : rectangles ? 2
                          : 1),
      rectangles_(rectangles),
      whole_(grid[0] == 1 && grid[1] == 1 && grid[2] == 1),
      links_(kept_slices(size, grid, place, 1 + ahead_), rectangles ? 2 : 1, true),
      box_(links_.domain().extents()) {
  box_[3] = 1;
  if (!whole_) return;
  along_t_.resize(static_cast<std::size_t>(slice()));
  for (int axis = 0; axis < 3; ++axis)
    lines_.resize(std::max(lines_.size(), static_cast<std::size_t>(slice() / box_[axis])));
}

// The slices kept are consecutive in memory, t being the slowest coordinate.
void GaugeSlices::push(const Matrix* slice) {
  const std::int64_t each = links_.bytes() / (1 + ahead_);
  std::copy(links_.data() + each, links_.data() + links_.bytes(), links_.data());
  Extents region = box_;
  put({0, 0, 0, ahead_}, region, slice);
}

void GaugeSlices::put(const Extents& first, const Extents& region, const Matrix* links) {
  for_each_site(region, [&](const Extents& at) {
    const Extents to{first[0] + at[0], first[1] + at[1], first[2] + at[2], first[3] + at[3]};
    std::copy_n(links + axes * site_of(region, at), axes, &links_.at(to, 0));
  });
}

void GaugeSlices::add() {
  add_local(links_, sites_in(box_), size_, rectangles_, 1, sums_);
  if (!whole_) return;
  for (int axis = 0; axis < 3; ++axis) {
    multiply_along(links_, box_, axis, true, 1, lines_);
    add_loops(lines_, slice() / box_[axis], axis, size_, 1, sums_);
  }
  multiply_along(links_, box_, 3, !begun_, 1, along_t_);
  begun_ = true;
}

LoopSums GaugeSlices::sums() const {
  LoopSums all = sums_;
  if (begun_) add_loops(along_t_, slice(), 3, size_, 1, all);
  return all;
}

}  // namespace phasewise::qcd
