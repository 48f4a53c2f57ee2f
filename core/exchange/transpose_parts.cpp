#include "exchange/transpose_parts.hpp"

#include <algorithm>

#include "exchange/share.hpp"

namespace phasewise::exchange {
namespace {

int ceil_div(int n, int parts) { return (n + parts - 1) / parts; }

Repeats repeats(std::vector<Repeat> loops) {
  return std::make_shared<std::vector<Repeat>>(std::move(loops));
}

}  // namespace

TransposeParts transpose_parts(const DividedGrid& grid, int processes, int me) {
  const auto rows_of = [&](int process) { return share(grid.rows, processes, process); };
  const auto columns_of = [&](int process) {
    return grid.columns_of.empty() ? share(grid.columns, processes, process)
                                   : grid.columns_of[process];
  };
  const int rows = size_of(rows_of(me)), columns = size_of(columns_of(me));
  const std::int64_t value = grid.value;
  const Repeats my_rows = repeats({{rows, value * grid.row_stride}});
  // There are two sizes of shares, and the larger ones come first.
  const int larger = ceil_div(grid.rows, processes);
  const auto my_columns = [&](int count) {
    return repeats({{count, value}, {columns, value * grid.column_stride}});
  };
  const Repeats of_larger = my_columns(larger), of_smaller = my_columns(larger - 1);
  auto in_rows = std::make_shared<std::vector<Region>>();
  auto in_columns = std::make_shared<std::vector<Region>>();
  int most_columns = 0;
  for (int process = 0; process < processes; ++process) {
    const auto [begin, end] = columns_of(process);
    most_columns = std::max(most_columns, end - begin);
    const auto [first, last] = rows_of(process);
    in_rows->push_back({value * begin, value * (end - begin), my_rows});
    in_columns->push_back({value * first, value, last - first == larger ? of_larger : of_smaller});
  }
  return {in_rows, in_columns, value * larger * most_columns};
}

}  // namespace phasewise::exchange
