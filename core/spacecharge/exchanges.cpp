#include "spacecharge/exchanges.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "exchange/share.hpp"
#include "spacecharge/phases.hpp"

namespace phasewise::spacecharge {
namespace {

// The team of some members of a team, one of which is this rank.
exchange::TeamPointer team_among(const exchange::Team& team, const std::vector<int>& members) {
  std::vector<int> ranks;
  ranks.reserve(members.size());
  for (const int member : members) ranks.push_back(team.ranks[member]);
  return exchange::team_of(std::move(ranks), team.ranks[team.me]);
}

// The region of a rank's rows in its planes of the mesh.
exchange::Region part_of(const Division& division, const field::DoubledBox& grid, int rank) {
  const std::int64_t row = std::int64_t{8} * grid.ny(), plane = row * grid.nx();
  const auto [first, last] = division.planes(grid, rank);
  const auto [begin, end] = division.rows(grid, rank);
  if (!division.divides_planes())
    return {.offset = plane * first, .run = plane * (last - first), .repeats = {}};
  return {.offset = plane * first + row * begin,
          .run = row * (end - begin),
          .repeats = std::make_shared<std::vector<exchange::Repeat>>(
              std::vector<exchange::Repeat>{{last - first, plane}})};
}

// The chunk of each rank is its part of the mesh.
exchange::ExchangePointer exchange(bool adds, const field::DoubledBox& grid,
                                   const Division& division, const exchange::PhaseSetting& setting,
                                   const exchange::TeamPointer& team,
                                   const workload::Nodes& nodes) {
  exchange::Exchange result;
  result.phase = adds ? phases::charge_global : phases::field_global;
  result.channel = adds ? channels::charge : channels::field;
  result.adds = adds;
  result.uniform = grid.nz() % division.along() == 0 && grid.nx() % division.across() == 0;
  result.team = team;
  result.form = setting.form;
  result.rounds = exchange::rounds_of(setting, team->me, nodes, !adds);
  std::vector<exchange::Region> parts;
  parts.reserve(division.ranks());
  for (int rank = 0; rank < division.ranks(); ++rank)
    parts.push_back(part_of(division, grid, rank));
  return of_one_item(std::move(result), parts);
}

}  // namespace

Exchanges::Exchanges(const field::DoubledBox& grid, const Settings& settings,
                     const workload::Nodes& nodes, const exchange::TeamPointer& team)
    : grid_(grid),
      rank_(team->me),
      division_(settings.decomposition, static_cast<int>(nodes.size())),
      algorithm_(settings.transpose),
      all_(team),
      along_(team_among(*team, division_.ranks_along(rank_))),
      across_(team_among(*team, division_.ranks_across(rank_))) {
  charge_ = exchange(true, grid, division_, settings.charge, all_, nodes);
  field_ = exchange(false, grid, division_, settings.field, all_, nodes);
  in_planes_ = transposing(across_, {.rows = grid.nx(),
                                     .columns = grid.rows(),
                                     .row_stride = grid.line_stride(),
                                     .column_stride = grid.row_stride(),
                                     .value = 16});
  const int columns = size_of(lines()) * static_cast<int>(grid.row_stride());
  between_planes_ = transposing(along_, {.rows = grid.nz(),
                                         .columns = columns,
                                         .row_stride = columns,
                                         .column_stride = grid.column_stride(),
                                         .value = 16});
  exchange::DividedGrid green{.rows = grid.green_planes(),
                              .columns = grid.columns(),
                              .row_stride = grid.columns(),
                              .column_stride = grid.green_stride(),
                              .value = 8};
  for (int other = 0; other < division_.ranks(); ++other)
    green.columns_of.push_back(division_.columns(grid, other));
  green_ = transposing(all_, green);
}

Exchanges::Transposing Exchanges::transposing(const exchange::TeamPointer& team,
                                              const exchange::DividedGrid& grid) const {
  const int members = static_cast<int>(team->ranks.size());
  return {team, exchange::rounds_of(algorithm_, *team),
          exchange::transpose_parts(grid, members, team->me)};
}

std::vector<exchange::TeamOfDivision> Exchanges::teams() const {
  std::vector<exchange::TeamOfDivision> result{{all_, 0}};
  if (division_.divides_planes()) {
    result.push_back({along_, division_.place_across(rank_)});
    result.push_back({across_, division_.place_along(rank_)});
  }
  return result;
}

Range Exchanges::green_planes() const {
  return exchange::share(grid_.green_planes(), division_.ranks(), rank_);
}

exchange::TransposeExchange Exchanges::transpose(std::string_view phase, const Transposing& how,
                                                 bool forwards, int grids) const {
  return {.phase = phase,
          .channel = channels::transpose,
          .team = how.team,
          .algorithm = algorithm_,
          .rounds = how.rounds,
          .grids = grids,
          .block = how.parts.block,
          .from = forwards ? how.parts.in_rows : how.parts.in_columns,
          .to = forwards ? how.parts.in_columns : how.parts.in_rows};
}

exchange::TransposeExchange Exchanges::to_columns() const {
  return transpose(phases::potential, between_planes_, true);
}
exchange::TransposeExchange Exchanges::to_planes() const {
  return transpose(phases::potential, between_planes_, false);
}
exchange::TransposeExchange Exchanges::to_lines() const {
  return transpose(phases::potential, in_planes_, true, size_of(planes()));
}
exchange::TransposeExchange Exchanges::to_rows() const {
  return transpose(phases::potential, in_planes_, false, size_of(planes()));
}
exchange::TransposeExchange Exchanges::green() const {
  return transpose(phases::green, green_, true);
}

}  // namespace phasewise::spacecharge
