// How a rank stores a field: all its blocks in one plane of doubles, [block][row][pitch], with
// ghost rows around each block.
#pragma once

#include <cstdint>
#include <vector>

#include "ocean/layout.hpp"

namespace phasewise::ocean {

class Planes {
 public:
  // A block of the rank. The plane has its own cell (i, j) at origin + j pitch + i, with i and j
  // from -ghosts on.
  struct Part {
    int block;         // its number in the layout
    int x, y, nx, ny;  // its first cell, and its size
    std::int64_t origin;
  };

  Planes(const Layout& layout, int rank);

  const std::vector<Part>& parts() const { return parts_; }
  std::int64_t pitch() const { return pitch_; }
  // Doubles of a plane. It is a multiple of a cache line, as are the places of cells (0, j).
  std::int64_t size() const { return size_; }
  std::int64_t at(int part, int i, int j) const { return parts_[part].origin + j * pitch_ + i; }
  // Own cells of all blocks, with land.
  std::int64_t cells() const { return cells_; }

 private:
  std::vector<Part> parts_;
  std::int64_t pitch_ = 0, size_ = 0, cells_ = 0;
};

}  // namespace phasewise::ocean
