#include "spacecharge/exchanges.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "comm/share.hpp"
#include "spacecharge/phases.hpp"

namespace phasewise::spacecharge {
namespace {

// The team of some members of a team, one of which is this rank.
comm::TeamPointer team_among(const comm::Team& team, const std::vector<int>& members) {
  comm::Team result;
  for (const int member : members) result.ranks.push_back(team.ranks[member]);
  result.me = static_cast<int>(std::ranges::find(members, team.me) - members.begin());
  return std::make_shared<const comm::Team>(std::move(result));
}

// The region of a rank's rows in its planes of the mesh.
comm::Region part_of(const Division& division, const field::DoubledBox& grid, int rank) {
  const std::int64_t row = std::int64_t{8} * grid.ny(), plane = row * grid.nx();
  const auto [first, last] = division.planes(grid, rank);
  const auto [begin, end] = division.rows(grid, rank);
  if (!division.divides_planes())
    return {.offset = plane * first, .run = plane * (last - first), .repeats = {}};
  return {.offset = plane * first + row * begin,
          .run = row * (end - begin),
          .repeats = std::make_shared<std::vector<comm::Repeat>>(
              std::vector<comm::Repeat>{{last - first, plane}})};
}

// The chunk of each rank is its part of the mesh.
comm::ExchangePointer exchange(bool adds, const field::DoubledBox& grid, const Division& division,
                               const comm::PhaseSetting& setting, const comm::TeamPointer& team,
                               const workload::Nodes& nodes) {
  const auto mesh = std::make_shared<const std::vector<int>>(1, 0);  // the only item
  comm::Exchange result;
  result.phase = adds ? phases::charge_global : phases::field_global;
  result.channel = adds ? channels::charge : channels::field;
  result.adds = adds;
  result.uniform = grid.nz() % division.along() == 0 && grid.nx() % division.across() == 0;
  result.team = team;
  result.form = setting.form;
  result.items = {mesh};
  if (setting.algorithm != comm::Algorithm::library) {
    comm::Rounds rounds = comm::reduce_rounds(setting.algorithm, setting.schedule, team->me, nodes);
    result.rounds =
        std::make_shared<comm::Rounds>(adds ? std::move(rounds) : comm::reversed(rounds));
  }
  for (int rank = 0; rank < division.ranks(); ++rank)
    result.blocks.push_back({mesh.get(), part_of(division, grid, rank)});
  return std::make_shared<const comm::Exchange>(std::move(result));
}

}  // namespace

Exchanges::Exchanges(const field::DoubledBox& grid, const Settings& settings,
                     const workload::Nodes& nodes, const comm::TeamPointer& team)
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
  comm::DividedGrid green{.rows = grid.green_planes(),
                          .columns = grid.columns(),
                          .row_stride = grid.columns(),
                          .column_stride = grid.green_stride(),
                          .value = 8};
  for (int other = 0; other < division_.ranks(); ++other)
    green.columns_of.push_back(division_.columns(grid, other));
  green_ = transposing(all_, green);
}

Exchanges::Transposing Exchanges::transposing(const comm::TeamPointer& team,
                                              const comm::DividedGrid& grid) const {
  const int members = static_cast<int>(team->ranks.size());
  Transposing result{team, nullptr, comm::transpose_parts(grid, members, team->me)};
  if (algorithm_ != comm::Transpose::alltoallw)
    result.rounds =
        std::make_shared<comm::Rounds>(comm::transpose_rounds(algorithm_, team->me, members));
  return result;
}

std::vector<comm::TeamOfDivision> Exchanges::teams() const {
  std::vector<comm::TeamOfDivision> result{{all_, 0}};
  if (division_.divides_planes()) {
    result.push_back({along_, division_.place_across(rank_)});
    result.push_back({across_, division_.place_along(rank_)});
  }
  return result;
}

Range Exchanges::green_planes() const {
  return comm::share(grid_.green_planes(), division_.ranks(), rank_);
}

comm::TransposeExchange Exchanges::transpose(std::string_view phase, const Transposing& how,
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

comm::TransposeExchange Exchanges::to_columns() const {
  return transpose(phases::potential, between_planes_, true);
}
comm::TransposeExchange Exchanges::to_planes() const {
  return transpose(phases::potential, between_planes_, false);
}
comm::TransposeExchange Exchanges::to_lines() const {
  return transpose(phases::potential, in_planes_, true, size_of(planes()));
}
comm::TransposeExchange Exchanges::to_rows() const {
  return transpose(phases::potential, in_planes_, false, size_of(planes()));
}
comm::TransposeExchange Exchanges::green() const { return transpose(phases::green, green_, true); }

}  // namespace phasewise::spacecharge
