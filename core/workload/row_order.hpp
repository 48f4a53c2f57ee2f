// The rows that a checkpoint hands over, beside those of a rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "workload/run.hpp"

namespace phasewise::workload {

// A column by its name. Throws std::invalid_argument if the rows, of these things, lack it.
inline const std::vector<double>& column_of(const Rows& rows, std::string_view name,
                                            std::string_view things) {
  for (const auto& [given, values] : rows.columns)
    if (given == name) return values;
  throw std::invalid_argument("the rows of " + std::string(things) + " lack the column " +
                              std::string(name));
}

// The place of each of a rank's rows, whose ids ascend, among these rows. Throws
// std::invalid_argument if they are not the rank's.
inline std::vector<std::size_t> order_of(const Rows& rows, std::span<const std::int64_t> own,
                                         std::string_view things) {
  std::vector<std::size_t> order(rows.id.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto id_of = [&](std::size_t row) { return rows.id[row]; };
  if (!std::ranges::is_sorted(order, {}, id_of)) std::ranges::sort(order, {}, id_of);
  if (!std::ranges::equal(order, own, {}, id_of))
    throw std::invalid_argument("the rows of " + std::string(things) +
                                " are not those of this rank");
  return order;
}

}  // namespace phasewise::workload
