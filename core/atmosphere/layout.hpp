// Which rank owns which columns: bands of latitudes, slabs of longitudes, or blocks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "atmosphere/description.hpp"

namespace phasewise::atmosphere {

class Layout {
 public:
  // Throws std::invalid_argument with one sentence if there are too many ranks.
  Layout(const GridSetting& grid, const Manner& manner, int ranks);

  int ranks() const { return shape_[0] * shape_[1]; }
  // Ranks along latitude and along longitude.
  std::vector<int> shape() const { return {shape_[0], shape_[1]}; }
  std::vector<int> place(int rank) const { return {rank / shape_[1], rank % shape_[1]}; }

  int owner(std::int64_t column) const { return owner_[static_cast<std::size_t>(column)]; }
  const std::vector<std::int32_t>& owners() const { return owner_; }
  // Ascending.
  std::span<const std::int32_t> columns(int rank) const {
    return std::span(columns_).subspan(begin_[rank], begin_[rank + 1] - begin_[rank]);
  }

 private:
  std::array<int, 2> shape_{};
  std::vector<std::int32_t> owner_, columns_;  // of each column; those of each rank
  std::vector<std::size_t> begin_;             // where a rank's columns begin
};

}  // namespace phasewise::atmosphere
