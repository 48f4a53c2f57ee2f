// The blocks of a transpose between processes that have rows of a grid before and columns of it
// after, in whole shares of both.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "comm/exchange.hpp"

namespace phasewise::comm {

struct DividedGrid {
  int rows, columns;        // in all
  std::int64_t row_stride;  // from one row to the next of those of a process [values]
  std::int64_t column_stride;
  std::int64_t value;  // bytes
  // The columns [begin, end) of each process; if empty, their shares.
  std::vector<std::pair<int, int>> columns_of{};
};

// Where the values that each process sends or gets lie in this process's part of a grid.
struct TransposeParts {
  TransposeExchange::Regions in_rows, in_columns;
  std::int64_t block;  // B, padded to whole shares of rows and of columns
};

// For process `me` of `processes`; each has comm::share of the rows, and of the columns unless the
// grid says which.
TransposeParts transpose_parts(const DividedGrid& grid, int processes, int me);

}  // namespace phasewise::comm
