#include "collision/exchange/transposes.hpp"

#include <utility>

#include "collision/exchange/channels.hpp"
#include "exchange/transpose_parts.hpp"

namespace phasewise::collision {
namespace {

constexpr std::int64_t value = 16;  // bytes of a complex value

}  // namespace

Transposes::Transposes(const PlanBasis& basis)
    : team_(basis.column.team),
      solve_algorithm_(basis.settings.solve),
      green_algorithm_(basis.settings.green),
      solve_(parts_of(basis, basis.shape.nx)),
      green_(parts_of(basis, basis.shape.mx)) {
  if (!team_) return;
  solve_rounds_ = rounds_of(solve_algorithm_, *team_);
  green_rounds_ = rounds_of(green_algorithm_, *team_);
}

Transposes::Parts Transposes::parts_of(const PlanBasis& basis, int rows_in_all) {
  const CollisionShape& shape = basis.shape;
  exchange::TransposeParts parts =
      exchange::transpose_parts({.rows = rows_in_all,
                                 .columns = shape.ky,
                                 .row_stride = shape.row_stride,
                                 .column_stride = shape.column_stride,
                                 .value = value},
                                basis.shape_of(basis.own).pcol, basis.division.row());
  return {std::move(parts.in_rows), std::move(parts.in_columns), parts.block};
}

exchange::TransposeExchange Transposes::solve(int grids, Direction direction) const {
  const bool to_columns = direction == Direction::to_columns;
  return {.phase = "solve",
          .channel = channels::transpose,
          .team = team_,
          .algorithm = solve_algorithm_,
          .rounds = solve_rounds_,
          .grids = grids,
          .block = solve_.block,
          .from = to_columns ? solve_.in_rows : solve_.in_columns,
          .to = to_columns ? solve_.in_columns : solve_.in_rows};
}

exchange::TransposeExchange Transposes::green() const {
  return {.phase = "green",
          .channel = channels::transpose,
          .team = team_,
          .algorithm = green_algorithm_,
          .rounds = green_rounds_,
          .grids = 1,
          .block = green_.block,
          .from = green_.in_rows,
          .to = green_.in_columns};
}

}  // namespace phasewise::collision
