#include "spacecharge/exchanges.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "comm/share.hpp"
#include "spacecharge/phases.hpp"

namespace phasewise::spacecharge {
namespace {

// The chunk of each rank is its planes of the mesh.
comm::ExchangePointer exchange(bool adds, const field::DoubledBox& grid,
                               const comm::PhaseSetting& setting, const comm::TeamPointer& team,
                               const workload::Nodes& nodes) {
  const int ranks = static_cast<int>(team->ranks.size());
  const std::int64_t plane = std::int64_t{8} * grid.nx() * grid.ny();
  const auto mesh = std::make_shared<const std::vector<int>>(1, 0);  // the only item
  comm::Exchange result;
  result.phase = adds ? phases::charge_global : phases::field_global;
  result.channel = adds ? channels::charge : channels::field;
  result.adds = adds;
  result.uniform = grid.nz() % ranks == 0;
  result.team = team;
  result.form = setting.form;
  result.items = {mesh};
  if (setting.algorithm != comm::Algorithm::library) {
    comm::Rounds rounds = comm::reduce_rounds(setting.algorithm, setting.schedule, team->me, nodes);
    result.rounds =
        std::make_shared<comm::Rounds>(adds ? std::move(rounds) : comm::reversed(rounds));
  }
  for (int rank = 0; rank < ranks; ++rank) {
    const auto [begin, end] = comm::share(grid.nz(), ranks, rank);
    result.blocks.push_back({mesh.get(), {.offset = plane * begin, .run = plane * (end - begin)}});
  }
  return std::make_shared<const comm::Exchange>(std::move(result));
}

}  // namespace

Exchanges::Exchanges(const field::DoubledBox& grid, const Settings& settings,
                     const workload::Nodes& nodes, comm::TeamPointer team)
    : team_(std::move(team)), algorithm_(settings.transpose) {
  const int ranks = static_cast<int>(nodes.size()), rank = team_->me;
  planes_ = comm::share(grid.nz(), ranks, rank);
  columns_ = comm::share(grid.columns(), ranks, rank);
  green_planes_ = comm::share(grid.green_planes(), ranks, rank);
  charge_ = exchange(true, grid, settings.charge, team_, nodes);
  field_ = exchange(false, grid, settings.field, team_, nodes);
  if (algorithm_ != comm::Transpose::alltoallw)
    rounds_ = std::make_shared<comm::Rounds>(comm::transpose_rounds(algorithm_, rank, ranks));
  comm::DividedGrid divided{.rows = grid.nz(),
                            .columns = grid.columns(),
                            .row_stride = grid.columns(),
                            .column_stride = grid.column_stride(),
                            .value = 16};
  solve_ = comm::transpose_parts(divided, ranks, rank);
  divided.rows = grid.green_planes();
  divided.column_stride = grid.green_stride();
  divided.value = 8;
  green_ = comm::transpose_parts(divided, ranks, rank);
}

comm::TransposeExchange Exchanges::transpose(std::string_view phase,
                                             const comm::TransposeParts& parts,
                                             bool forwards) const {
  return {.phase = phase,
          .channel = channels::transpose,
          .team = team_,
          .algorithm = algorithm_,
          .rounds = rounds_,
          .grids = 1,
          .block = parts.block,
          .from = forwards ? parts.in_rows : parts.in_columns,
          .to = forwards ? parts.in_columns : parts.in_rows};
}

comm::TransposeExchange Exchanges::to_columns() const {
  return transpose(phases::potential, solve_, true);
}
comm::TransposeExchange Exchanges::to_planes() const {
  return transpose(phases::potential, solve_, false);
}
comm::TransposeExchange Exchanges::green() const { return transpose(phases::green, green_, true); }

}  // namespace phasewise::spacecharge
