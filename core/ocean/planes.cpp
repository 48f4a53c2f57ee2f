#include "ocean/planes.hpp"

#include <algorithm>

namespace phasewise::ocean {
namespace {

constexpr std::int64_t line = 8;            // doubles of a cache line
constexpr std::int64_t page_of_rows = 512;  // doubles; rows so far apart compete for the cache

std::int64_t whole_lines_of(std::int64_t doubles) { return (doubles + line - 1) / line * line; }

}  // namespace

Planes::Planes(const Layout& layout, int rank) {
  int nx = 0, ny = 0;
  for (const int number : layout.blocks_of(rank)) {
    const Block& block = layout.blocks()[number];
    parts_.push_back({number, block.x, block.y, block.nx, block.ny, 0});
    nx = std::max(nx, block.nx);
    ny = std::max(ny, block.ny);
    cells_ += std::int64_t{block.nx} * block.ny;
  }
  // Ghosts to the west share a cache line, and so do those to the east with the last cells.
  pitch_ = line + whole_lines_of(nx + ghosts);
  if (pitch_ % page_of_rows == 0) pitch_ += line;
  const std::int64_t rows = ny + 2 * ghosts;
  for (std::size_t part = 0; part < parts_.size(); ++part)
    parts_[part].origin = (static_cast<std::int64_t>(part) * rows + ghosts) * pitch_ + line;
  size_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(parts_.size())) * rows * pitch_;
}

}  // namespace phasewise::ocean
