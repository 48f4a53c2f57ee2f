// The blocks of a transpose between processes that have rows of a grid before and columns of it
// after, in whole shares of both.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "exchange/exchange.hpp"

namespace phasewise::exchange {

struct DividedGrid {
  int rows, columns;        // in all
  std::int64_t row_stride;  // from one row of a process to its next [values]
  std::int64_t column_stride;
  std::int64_t value;  // bytes
  // The columns [begin, end) of each process; if empty, each process has its share of all columns.
  std::vector<std::pair<int, int>> columns_of{};
};

// Where the values that each process sends or receives lie in this process's part of a grid.
struct TransposeParts {
  TransposeExchange::Regions in_rows, in_columns;
  std::int64_t block;  // B, padded to whole shares of rows and of columns
};

// The parts for process `me` of `processes`. Each process has its exchange::share of the rows, and
// of the columns unless the grid lists them.
TransposeParts transpose_parts(const DividedGrid& grid, int processes, int me);

}  // namespace phasewise::exchange
