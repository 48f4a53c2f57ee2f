#include "collision/exchange/plan_basis.hpp"

#include <memory>

#include "collision/exchange/teams.hpp"

namespace phasewise::collision {
namespace {

exchange::RoundsPointer rounds(const exchange::PhaseSetting& setting, const exchange::Team& team,
                               const ProcessGrid& grid, bool backwards) {
  std::vector<int> nodes;
  nodes.reserve(team.ranks.size());
  for (const int rank : team.ranks) nodes.push_back(grid.node(rank));
  return exchange::rounds_of(setting, team.me, nodes, backwards);
}

Member member_of(const std::vector<int>& ranks, int rank, const exchange::PhaseSetting& reduce,
                 const exchange::PhaseSetting& broadcast, const ProcessGrid& grid) {
  const exchange::TeamPointer team = exchange::team_of(ranks, rank);
  return {team, rounds(reduce, *team, grid, false), rounds(broadcast, *team, grid, true)};
}

}  // namespace

PlanBasis::PlanBasis(const CollisionShape& collision, const Settings& how, const ProcessGrid& grid,
                     int rank)
    : shape(collision),
      settings(how),
      division{grid, rank, shape.nx, shape.ky},
      own(grid.divided() ? grid.place(rank).beam : 0),
      other(1 - own) {
  if (!grid.divided()) return;
  column =
      member_of(ranks(own, Among::column), rank, how.reduce_column, how.broadcast_column, grid);
  row = member_of(ranks(own, Among::row), rank, how.reduce_row, how.broadcast_row, grid);
  if (how.reduce_at_once || how.broadcast_at_once)
    beam = member_of(ranks(own, Among::beam), rank, how.reduce, how.broadcast, grid);
}

std::vector<int> PlanBasis::ranks(int of_beam, Among among) const {
  if (among == Among::column) return division.grid.column(of_beam, division.column());
  if (among == Among::row) return division.grid.row(of_beam, division.row());
  return division.grid.beam(of_beam);
}

}  // namespace phasewise::collision
