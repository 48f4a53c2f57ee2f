#include "collision/transposes.hpp"

#include "collision/channels.hpp"

namespace phasewise::collision {
namespace {

constexpr std::int64_t value = 16;  // bytes of a complex value

int ceil_div(int n, int parts) { return (n + parts - 1) / parts; }

comm::RoundsPointer rounds_of(comm::Transpose algorithm, const comm::Team& team) {
  if (algorithm == comm::Transpose::alltoallw) return nullptr;
  return std::make_shared<comm::Rounds>(
      comm::transpose_rounds(algorithm, team.me, static_cast<int>(team.ranks.size())));
}

comm::Repeats repeats(std::vector<comm::Repeat> loops) {
  return std::make_shared<std::vector<comm::Repeat>>(std::move(loops));
}

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
  const int processes = basis.shape_of(basis.own).pcol, me = basis.division.row();
  const CollisionShape& shape = basis.shape;
  const auto rows_of = [&](int process) { return comm::share(rows_in_all, processes, process); };
  const auto columns_of = [&](int process) {
    return basis.division.transform_columns(basis.own, process);
  };
  const int rows = rows_of(me).second - rows_of(me).first;
  const int columns = columns_of(me).second - columns_of(me).first;
  const comm::Repeats my_rows = repeats({{rows, value * shape.row_stride}});
  // Shares are of two sizes, the larger ones first.
  const int larger = ceil_div(rows_in_all, processes);
  const auto my_columns = [&](int count) {
    return repeats({{count, value}, {columns, value * shape.column_stride}});
  };
  const comm::Repeats of_larger = my_columns(larger), of_smaller = my_columns(larger - 1);
  auto in_rows = std::make_shared<std::vector<comm::Region>>();
  auto in_columns = std::make_shared<std::vector<comm::Region>>();
  for (int process = 0; process < processes; ++process) {
    const auto [begin, end] = columns_of(process);
    const auto [first, last] = rows_of(process);
    in_rows->push_back({value * begin, value * (end - begin), my_rows});
    in_columns->push_back({value * first, value, last - first == larger ? of_larger : of_smaller});
  }
  return {in_rows, in_columns, value * larger * ceil_div(shape.ky, processes)};
}

comm::TransposeExchange Transposes::solve(int grids, Direction direction) const {
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

comm::TransposeExchange Transposes::green() const {
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
