// The order in which the cells of a tile are eliminated, and where its factors L D L' may differ
// from zero: nested dissection (George, SIAM J. Numer. Anal. 10 (1973) 345). A line of cells that
// divides the tile comes last, and each half is ordered likewise.
#pragma once

#include <cstdint>
#include <vector>

#include "ocean/solver/march.hpp"

namespace phasewise::ocean {

// Columns of L that follow each other and are coupled with the same later cells. Their values are
// D⁻¹ of each column, their square below the diagonal row by row, and [row][column] of `rows`.
struct Front {
  static constexpr int most = 4;  // columns

  int first, columns;
  std::vector<int> rows;  // later cells, by their numbers in the order
  std::int64_t values;    // where they begin

  int square() const { return columns * (columns - 1) / 2; }
  std::int64_t size() const {
    return columns + square() + static_cast<std::int64_t>(rows.size()) * columns;
  }
};

class Dissection {
 public:
  explicit Dissection(const TileShape& shape);

  const TileShape& shape() const { return shape_; }
  // The number in the order of each cell, [n][m].
  const std::vector<int>& numbers() const { return numbers_; }
  const std::vector<Front>& fronts() const { return fronts_; }
  // Of the values of all fronts.
  std::int64_t size() const { return size_; }

 private:
  void order(int x, int y, int m, int n, int& next);
  std::vector<std::vector<int>> columns() const;

  TileShape shape_;
  std::vector<int> numbers_;
  std::vector<Front> fronts_;
  std::int64_t size_ = 0;
};

}  // namespace phasewise::ocean
