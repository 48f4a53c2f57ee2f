#include "ocean/domain.hpp"

#include <algorithm>

#include "parallel/simd.hpp"

namespace phasewise::ocean {
namespace {

constexpr int static_planes = 6;

}  // namespace

parallel::Buffer<double> zeros(std::int64_t size) {
  parallel::Buffer<double> buffer(size + parallel::lanes);
  std::fill_n(buffer.data(), buffer.size(), 0.0);
  return buffer;
}

Domain::Domain(const Grid& grid, const SeaFloor& floor, const Planes& planes, bool baroclinic,
               workload::Contents contents)
    : grid_(grid),
      floor_(floor),
      planes_(planes),
      baroclinic_(baroclinic),
      levels_(baroclinic ? grid.nz() : 1) {
  find_rows();
  if (contents == workload::Contents::real) fill();
}

RowPlace Domain::place(int part, int j) const {
  const Planes::Part& of = planes_.parts()[part];
  return {.part = part,
          .at = planes_.at(part, 0, j),
          .nx = of.nx,
          .y = of.y + j,
          .levels = levels_,
          .corners = levels_};
}

std::vector<RowPlace> Domain::rows_with(int south, int north) const {
  std::vector<RowPlace> rows;
  for (int part = 0; part < static_cast<int>(planes_.parts().size()); ++part)
    for (int j = -south; j < planes_.parts()[part].ny + north; ++j) rows.push_back(place(part, j));
  return rows;
}

void Domain::find_rows() {
  for (int part = 0; part < static_cast<int>(planes_.parts().size()); ++part) {
    const Planes::Part& of = planes_.parts()[part];
    for (int j = 0; j < of.ny; ++j) {
      RowPlace row = place(part, j);
      row.levels = row.corners = 0;
      for (int i = 0; i < of.nx; ++i) {
        row.levels = std::max(row.levels, clipped(floor_.levels(of.x + i, row.y)));
        row.corners = std::max(row.corners, clipped(floor_.corner_levels(of.x + i, row.y)));
      }
      if (row.levels == 0) continue;
      cells_ += static_cast<double>(of.nx) * row.levels;
      corners_ += static_cast<double>(of.nx) * row.corners;
      columns_ += of.nx;
      rows_.push_back(row);
    }
  }
}

void Domain::fill() {
  statics_ = zeros(static_planes * plane());
  double* const planes = statics_.data();
  for (int part = 0; part < static_cast<int>(planes_.parts().size()); ++part) {
    const Planes::Part& of = planes_.parts()[part];
    for (int j = -ghosts; j < of.ny + ghosts; ++j)
      for (int i = -ghosts; i < of.nx + ghosts; ++i) {
        const int x = of.x + i, y = of.y + j;
        const std::int64_t at = planes_.at(part, i, j);
        const int here = floor_.levels(x, y), corner = floor_.corner_levels(x, y);
        planes[at] = clipped(here);
        planes[plane() + at] = clipped(corner);
        planes[2 * plane() + at] = clipped(std::min(here, floor_.levels(x + 1, y)));
        planes[3 * plane() + at] = clipped(std::min(here, floor_.levels(x, y + 1)));
        planes[4 * plane() + at] = grid_.depth(corner);
        planes[5 * plane() + at] = grid_.depth(here);
      }
  }
  thickness_ = zeros(levels_ * pitch());
  for (int level = 0; level < levels_; ++level)
    std::fill_n(thickness_.data() + level * pitch(), pitch(), grid_.thickness(level));
}

}  // namespace phasewise::ocean
