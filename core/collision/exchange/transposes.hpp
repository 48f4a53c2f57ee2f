// The transposes of a column: each process has rows of the half-transformed grids before and
// columns of them after, or the other way round.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collision/exchange/plan_basis.hpp"
#include "exchange/exchange.hpp"

namespace phasewise::collision {

enum class Direction : std::uint8_t { to_columns, to_rows };

class Transposes {
 public:
  explicit Transposes(const PlanBasis& basis);

  exchange::TransposeExchange solve(int grids, Direction direction) const;
  exchange::TransposeExchange green() const;

 private:
  using Regions = exchange::TransposeExchange::Regions;
  // Where the values that each process sends or receives lie in this process's part of a grid of
  // complex values.
  struct Parts {
    Regions in_rows, in_columns;
    std::int64_t block;  // bytes, padded to whole shares of rows and of columns
  };
  static Parts parts_of(const PlanBasis& basis, int rows_in_all);

  exchange::TeamPointer team_;
  exchange::Transpose solve_algorithm_, green_algorithm_;
  exchange::RoundsPointer solve_rounds_, green_rounds_;
  Parts solve_, green_;
};

}  // namespace phasewise::collision
