// Values of columns, contiguous in memory, as rows with one lane a column, and back.
#pragma once

#include <algorithm>

#include "atmosphere/values.hpp"

namespace phasewise::atmosphere {

// Swaps rows and lanes. Each pass interleaves the halves, which rotates the bits of a value's
// number, row times lanes plus lane, by one.
template <class V, int Rows>
PHASEWISE_HD void transpose(V (&block)[Rows]) {
  static_assert(Rows == lanes_of<V>);
  if constexpr (Rows > 1) {
    for (int pass = 1; pass < Rows; pass *= 2) {
      V turned[Rows];
      for (int row = 0; row < Rows / 2; ++row) {
        turned[2 * row] = parallel::first_in_turn(block[row], block[row + Rows / 2]);
        turned[2 * row + 1] = parallel::last_in_turn(block[row], block[row + Rows / 2]);
      }
      for (int row = 0; row < Rows; ++row) block[row] = turned[row];
    }
  }
}

// Calls block(i) for blocks of as many values as there are lanes, the last of which may overlap the
// one before, or each(i) for values that fill no block.
template <class V, class Block, class Each>
PHASEWISE_HD void for_values(int count, Block&& block, Each&& each) {
  constexpr int size = lanes_of<V>;
  if (size == 1 || count < size) {
    for (int i = 0; i < count; ++i) each(i);
    return;
  }
  for (int i = 0; i < count; i += size) block(std::min(i, count - size));
}

// Loads `count` values of each column into rows: column(i) points to those of column i of `used`
// ones. Lanes without a column repeat the last one.
template <class V, class Column>
PHASEWISE_HD void load_rows(int used, Column&& column, int count, V* rows) {
  const double* columns[lanes_of<V>];
  for (int lane = 0; lane < lanes_of<V>; ++lane) columns[lane] = column(std::min(lane, used - 1));
  for_values<V>(
      count,
      [&](int i) {
        V block[lanes_of<V>];
        for (int lane = 0; lane < lanes_of<V>; ++lane) block[lane] = loaded<V>(columns[lane] + i);
        transpose(block);
        for (int row = 0; row < lanes_of<V>; ++row) rows[i + row] = block[row];
      },
      [&](int i) {
        for (int lane = 0; lane < lanes_of<V>; ++lane) set_lane(rows[i], lane, columns[lane][i]);
      });
}

// Stores the rows of the lanes that have a column.
template <class V, class Column>
PHASEWISE_HD void store_rows(int used, Column&& column, int count, const V* rows) {
  double* columns[lanes_of<V>];
  for (int lane = 0; lane < used; ++lane) columns[lane] = column(lane);
  for_values<V>(
      count,
      [&](int i) {
        V block[lanes_of<V>];
        for (int row = 0; row < lanes_of<V>; ++row) block[row] = rows[i + row];
        transpose(block);
        for (int lane = 0; lane < used; ++lane) stored(columns[lane] + i, block[lane]);
      },
      [&](int i) {
        for (int lane = 0; lane < used; ++lane) columns[lane][i] = lane_of(rows[i], lane);
      });
}

// Loads or stores one lane of the rows.
template <class V>
PHASEWISE_HD void load_lane(const double* column, int count, V* rows, int lane) {
  for (int i = 0; i < count; ++i) set_lane(rows[i], lane, column[i]);
}
template <class V>
PHASEWISE_HD void store_lane(const V* rows, int count, double* column, int lane) {
  for (int i = 0; i < count; ++i) column[i] = lane_of(rows[i], lane);
}

}  // namespace phasewise::atmosphere
