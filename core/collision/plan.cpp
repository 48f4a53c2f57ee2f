#include "collision/plan.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace phasewise::collision {
namespace {

using comm::Algorithm;
using comm::Block;
using comm::Channel;
using comm::Exchange;
using comm::PhaseSetting;
using comm::Rounds;
using comm::Schedule;

std::pair<int, int> common(std::pair<int, int> a, std::pair<int, int> b) {
  const int begin = std::max(a.first, b.first);
  return {begin, std::max(begin, std::min(a.second, b.second))};
}

int ceil_div(int n, int parts) { return (n + parts - 1) / parts; }

std::vector<int> nodes_of(const ProcessGrid& grid, const std::vector<int>& ranks) {
  std::vector<int> nodes;
  nodes.reserve(ranks.size());
  for (const int rank : ranks) nodes.push_back(grid.node(rank));
  return nodes;
}

}  // namespace

CollisionPlan::CollisionPlan(const CollisionShape& shape, const Settings& settings,
                             const ProcessGrid& grid, int rank)
    : shape_(shape),
      settings_(settings),
      division_{grid, rank, shape.nx, shape.ky},
      own_(grid.divided() ? grid.place(rank).beam : 0),
      other_(1 - own_) {
  if (!grid.divided()) return;
  const auto column = grid.column(own_, division_.column());
  column_ = member(column, settings.reduce_column, settings.broadcast_column);
  row_ = member(grid.row(own_, division_.row()), settings.reduce_row, settings.broadcast_row);
  if (settings.reduce_at_once || settings.broadcast_at_once)
    beam_ = member(grid.beam(own_), settings.reduce, settings.broadcast);
  const auto transpose = [&](comm::Transpose algorithm) -> RoundsPointer {
    if (algorithm == comm::Transpose::alltoallw) return nullptr;
    return std::make_shared<Rounds>(comm::transpose_rounds(
        algorithm, column_.team->me, static_cast<int>(column_.team->ranks.size())));
  };
  green_rounds_ = transpose(settings.green);
  solve_rounds_ = transpose(settings.solve);
}

CollisionPlan::Member CollisionPlan::member(const std::vector<int>& ranks,
                                            const PhaseSetting& reduce,
                                            const PhaseSetting& broadcast) const {
  const auto found = std::find(ranks.begin(), ranks.end(), division_.rank);
  const int me = static_cast<int>(found - ranks.begin());
  const std::vector<int> nodes = nodes_of(division_.grid, ranks);
  const auto rounds = [&](const PhaseSetting& setting) -> std::shared_ptr<Rounds> {
    if (setting.algorithm == Algorithm::library) return nullptr;
    return std::make_shared<Rounds>(
        comm::reduce_rounds(setting.algorithm, setting.schedule, me, nodes));
  };
  Member member{std::make_shared<comm::Team>(comm::Team{ranks, me}), rounds(reduce), nullptr};
  if (const auto forwards = rounds(broadcast))
    member.broadcast = std::make_shared<Rounds>(comm::reversed(*forwards));
  return member;
}

std::vector<std::vector<int>> CollisionPlan::batches(const Step& step) const {
  std::vector<int> all(step.pairs());
  std::iota(all.begin(), all.end(), 0);
  if (!settings_.overlap) return {all};
  // The pairs of consecutive slices are those of different columns.
  const int at_once = std::min(division_.shape(0).prow, division_.shape(1).prow);
  std::vector<std::vector<int>> result;
  for (int p = 0; p < step.pairs(); p += at_once)
    result.emplace_back(all.begin() + p, all.begin() + std::min(p + at_once, step.pairs()));
  return result;
}

std::vector<int> CollisionPlan::own_pairs(const Step& step, int beam,
                                          const std::vector<int>& pairs) const {
  std::vector<int> result;
  if (!division_.holds(beam)) return result;
  for (const int p : pairs)
    if (division_.column_of(beam, step.own(beam, p)) == division_.column()) result.push_back(p);
  return result;
}

CollisionPlan::Items CollisionPlan::items(const std::vector<int>& pairs) const {
  auto result = std::make_shared<std::vector<int>>();
  for (const int p : pairs)
    for (int plane = 0; plane < shape_.planes; ++plane)
      result->push_back(p * shape_.planes + plane);
  return result;
}

Block CollisionPlan::block(const Items& items, std::pair<int, int> rows) const {
  const std::int64_t ny = shape_.ny;
  return {items.get(), rows.first * ny, (rows.second - rows.first) * ny};
}

CollisionPlan::Blocks CollisionPlan::column_blocks(int beam, const std::vector<int>& pairs) const {
  const Items all = items(pairs);
  Blocks result{{all}, {}};
  for (int row = 0; row < division_.shape(beam).pcol; ++row)
    result.blocks.push_back(block(all, division_.rows(beam, row)));
  return result;
}

CollisionPlan::Blocks CollisionPlan::row_blocks(int beam,
                                                const std::vector<std::vector<int>>& dealt) const {
  Blocks result;
  for (const std::vector<int>& pairs : dealt) {
    result.items.push_back(items(pairs));
    result.blocks.push_back(block(result.items.back(), division_.rows(beam, division_.row())));
  }
  return result;
}

CollisionPlan::Blocks CollisionPlan::beam_blocks(int beam,
                                                 const std::vector<std::vector<int>>& dealt) const {
  Blocks result;
  result.blocks.reserve(division_.shape(beam).ranks() + 1);
  for (const std::vector<int>& pairs : dealt) {
    result.items.push_back(items(pairs));
    for (int row = 0; row < division_.shape(beam).pcol; ++row)
      result.blocks.push_back(block(result.items.back(), division_.rows(beam, row)));
  }
  return result;
}

std::vector<std::vector<int>> CollisionPlan::by_column(const Step& step,
                                                       const std::vector<int>& pairs, int slices_of,
                                                       int prow) const {
  std::vector<std::vector<int>> result(prow);
  for (const int p : pairs) result[step.own(slices_of, p) % prow].push_back(p);
  return result;
}

std::vector<std::vector<int>> CollisionPlan::dealt(const Step& step, const std::vector<int>& pairs,
                                                   int slices_of, int prow) const {
  std::vector<std::vector<int>> result = by_column(step, pairs, slices_of, prow);
  if (!padded()) return result;
  std::size_t most = 0;
  for (const auto& of_column : result) most = std::max(most, of_column.size());
  int none = step.pairs();
  for (auto& of_column : result)
    while (of_column.size() < most) of_column.push_back(none++);
  return result;
}

int CollisionPlan::grids_to_solve(const Step& step, const std::vector<int>& pairs) const {
  const auto of_columns = dealt(step, pairs, own_, division_.shape(own_).prow);
  return shape_.planes * static_cast<int>(of_columns[division_.column()].size());
}

Exchange CollisionPlan::exchange(const char* phase, Channel channel, bool adds,
                                 const Member& member, const PhaseSetting& setting,
                                 Blocks blocks) const {
  return {phase,
          channel,
          adds,
          member.team,
          adds ? member.reduce : member.broadcast,
          std::move(blocks.items),
          std::move(blocks.blocks),
          setting.form};
}

void CollisionPlan::add_column_phase(std::vector<Exchange>& to, const std::vector<int>& pairs,
                                     bool adds) const {
  if (division_.shape(own_).pcol == 1) return;
  const PhaseSetting& setting = adds ? settings_.reduce_column : settings_.broadcast_column;
  const char* phase = adds ? "reduce_column" : "broadcast_column";
  const Channel channel = adds ? Channel::reduce : Channel::broadcast;
  for (const std::vector<int>& together : messages(pairs, setting.aggregate))
    to.push_back(exchange(phase, channel, adds, column_, setting, column_blocks(own_, together)));
}

std::vector<std::vector<int>> CollisionPlan::messages(const std::vector<int>& pairs,
                                                      bool aggregate) const {
  if (aggregate) return {pairs};
  std::vector<std::vector<int>> result;
  result.reserve(pairs.size());
  for (const int p : pairs) result.push_back({p});
  return result;
}

void CollisionPlan::add_row_phase(std::vector<Exchange>& to, const Step& step,
                                  const std::vector<int>& pairs, int slices_of, bool adds) const {
  const int prow = division_.shape(own_).prow;
  if (prow == 1) return;
  const PhaseSetting& setting = adds ? settings_.reduce_row : settings_.broadcast_row;
  const char* phase = adds ? "reduce_row" : "broadcast_row";
  const Channel channel = adds ? Channel::reduce : Channel::broadcast;
  for (const std::vector<int>& together : messages(pairs, setting.aggregate))
    to.push_back(exchange(phase, channel, adds, row_, setting,
                          row_blocks(own_, dealt(step, together, slices_of, prow))));
}

void CollisionPlan::add_beam_phase(std::vector<Exchange>& to, const Step& step,
                                   const std::vector<int>& pairs, int slices_of, bool adds) const {
  if (division_.shape(own_).ranks() == 1) return;
  const PhaseSetting& setting = adds ? settings_.reduce : settings_.broadcast;
  const Channel channel = adds ? Channel::reduce : Channel::broadcast;
  const int prow = division_.shape(own_).prow;
  for (const std::vector<int>& together : messages(pairs, setting.aggregate))
    to.push_back(exchange(adds ? "reduce" : "broadcast", channel, adds, beam_, setting,
                          beam_blocks(own_, dealt(step, together, slices_of, prow))));
}

std::vector<Exchange> CollisionPlan::reduce(const Step& step, const std::vector<int>& pairs) const {
  std::vector<Exchange> result;
  if (!division_.grid.divided()) return result;
  if (settings_.reduce_at_once) {
    add_beam_phase(result, step, pairs, own_, true);
  } else {
    add_column_phase(result, pairs, true);
    add_row_phase(result, step, pairs, own_, true);
  }
  return result;
}

CollisionPlan::Broadcast CollisionPlan::broadcast(const Step& step,
                                                  const std::vector<int>& pairs) const {
  Broadcast result;
  if (!division_.grid.divided()) return result;
  if (settings_.broadcast_at_once) {
    if (settings_.broadcast.algorithm == Algorithm::direct) {
      result.crossing = crossing_to_all(step, pairs);
    } else {
      result.crossing = {mirror_in_row(step, pairs, "broadcast")};
      add_beam_phase(result.other, step, pairs, other_, false);
    }
    return result;
  }
  if (settings_.crossing_in_row) {
    if (same_shapes() && settings_.broadcast_row.algorithm == Algorithm::direct) {
      result.crossing = crossing_along_row(step, pairs);
    } else {
      result.crossing = {mirror_in_row(step, pairs, "broadcast_row")};
      add_row_phase(result.other, step, pairs, other_, false);
    }
    add_column_phase(result.other, pairs, false);
    return result;
  }
  add_row_phase(result.own, step, pairs, own_, false);
  if (same_shapes() && settings_.broadcast_column.algorithm == Algorithm::direct) {
    result.crossing = crossing_along_column(pairs);
  } else {
    for (const auto& together : messages(pairs, settings_.broadcast_column.aggregate))
      result.crossing.push_back(mirror_in_column(together));
    add_column_phase(result.other, pairs, false);
  }
  return result;
}

// Everyone of `ranks`, of the other beam, gets `mine` and gives its own block. Round k: to me + k,
// from me - k, or with me XOR k.
Exchange CollisionPlan::spread(const char* phase, const std::vector<int>& ranks, int me, int peers,
                               Schedule schedule, Blocks blocks, const Items& mine,
                               std::pair<int, int> rows) const {
  const int theirs = static_cast<int>(ranks.size());
  const int most = std::max(theirs, peers);
  const bool ring = schedule == Schedule::ring;
  const int count = ring ? most : static_cast<int>(std::bit_ceil(static_cast<unsigned>(most)));
  auto rounds = std::make_shared<Rounds>();
  for (int k = 0; k < count; ++k) {
    const int to = ring ? (me + k) % most : me ^ k;
    const int from = ring ? (me - k + most) % most : me ^ k;
    comm::Round& round = rounds->emplace_back();
    if (to < theirs) round.sends.push_back({to, {theirs}});
    if (from < theirs) round.receives.push_back({from, {from}});
  }
  blocks.items.push_back(mine);
  blocks.blocks.push_back(block(mine, rows));
  return {phase,
          Channel::broadcast,
          false,
          std::make_shared<comm::Team>(comm::Team{ranks, -1}),
          rounds,
          std::move(blocks.items),
          std::move(blocks.blocks)};
}

std::vector<Exchange> CollisionPlan::crossing_to_all(const Step& step,
                                                     const std::vector<int>& pairs) const {
  std::vector<Exchange> result;
  for (const auto& together : messages(pairs, settings_.broadcast.aggregate)) {
    const auto theirs = dealt(step, together, other_, division_.shape(other_).prow);
    const Items mine =
        items(dealt(step, together, own_, division_.shape(own_).prow)[division_.column()]);
    result.push_back(spread("broadcast", division_.grid.beam(other_), beam_.team->me,
                            division_.shape(own_).ranks(), settings_.broadcast.schedule,
                            beam_blocks(other_, theirs), mine,
                            division_.rows(own_, division_.row())));
  }
  return result;
}

std::vector<Exchange> CollisionPlan::crossing_along_row(const Step& step,
                                                        const std::vector<int>& pairs) const {
  std::vector<Exchange> result;
  const auto rows = division_.rows(own_, division_.row());
  for (const auto& together : messages(pairs, settings_.broadcast_row.aggregate)) {
    const int prow = division_.shape(own_).prow;
    const auto theirs = dealt(step, together, other_, prow);
    const std::vector<int> mine = dealt(step, together, own_, prow)[division_.column()];
    result.push_back(spread("broadcast_row", division_.grid.row(other_, division_.row()),
                            division_.column(), division_.shape(own_).prow,
                            settings_.broadcast_row.schedule, row_blocks(other_, theirs),
                            items(mine), rows));
  }
  return result;
}

std::vector<Exchange> CollisionPlan::crossing_along_column(const std::vector<int>& pairs) const {
  std::vector<Exchange> result;
  const auto rows = division_.rows(own_, division_.row());
  for (const auto& together : messages(pairs, settings_.broadcast_column.aggregate))
    result.push_back(spread("broadcast_column", division_.grid.column(other_, division_.column()),
                            division_.row(), division_.shape(own_).pcol,
                            settings_.broadcast_column.schedule, column_blocks(other_, together),
                            items(together), rows));
  return result;
}

// A rank of the other beam that shares rows with this one, and the blocks each way.
void CollisionPlan::add_mirror(Exchange& crossing, int column, const Items& out,
                               const Items& in) const {
  const auto mine = division_.rows(own_, division_.row());
  auto team = std::const_pointer_cast<comm::Team>(crossing.team);
  comm::Round& round = std::const_pointer_cast<Rounds>(crossing.rounds)->front();
  crossing.items.insert(crossing.items.end(), {out, in});
  for (int row = 0; row < division_.shape(other_).pcol; ++row) {
    const auto rows = common(mine, division_.rows(other_, row));
    if (rows.first == rows.second) continue;
    const int peer = static_cast<int>(team->ranks.size());
    team->ranks.push_back(division_.grid.rank_at(other_, column, row));
    const int chunk = static_cast<int>(crossing.blocks.size());
    crossing.blocks.push_back(block(out, rows));
    crossing.blocks.push_back(block(in, rows));
    if (!out->empty()) round.sends.push_back({peer, {chunk}});
    if (!in->empty()) round.receives.push_back({peer, {chunk + 1}});
  }
}

Exchange CollisionPlan::empty_crossing(const char* phase) const {
  return {phase,
          Channel::broadcast,
          false,
          std::make_shared<comm::Team>(comm::Team{{}, -1}),
          std::make_shared<Rounds>(1),
          {},
          {}};
}

Exchange CollisionPlan::mirror_in_row(const Step& step, const std::vector<int>& pairs,
                                      const char* phase) const {
  Exchange crossing = empty_crossing(phase);
  const int prow = division_.shape(own_).prow, their_prow = division_.shape(other_).prow;
  if (same_shapes()) {
    const int column = division_.column();
    add_mirror(crossing, column, items(dealt(step, pairs, own_, prow)[column]),
               items(dealt(step, pairs, other_, prow)[column]));
    return crossing;
  }
  const auto out = by_column(step, own_pairs(step, own_, pairs), own_, their_prow);
  const auto theirs = by_column(step, pairs, other_, their_prow);
  for (int column = 0; column < their_prow; ++column) {
    const auto in = by_column(step, theirs[column], other_, prow)[division_.column()];
    if (!out[column].empty() || !in.empty())
      add_mirror(crossing, column, items(out[column]), items(in));
  }
  return crossing;
}

Exchange CollisionPlan::mirror_in_column(const std::vector<int>& pairs) const {
  Exchange crossing = empty_crossing("broadcast_column");
  const int prow = division_.shape(own_).prow, their_prow = division_.shape(other_).prow;
  const Items all = items(pairs), nothing = items({});
  for (int column = 0; column < their_prow; ++column) {
    const bool gives = column % prow == division_.column();
    const bool gets = division_.column() % their_prow == column;
    if (gives || gets) add_mirror(crossing, column, gives ? all : nothing, gets ? all : nothing);
  }
  return crossing;
}

int CollisionPlan::padded_rows(int rows) const {
  return ceil_div(rows, division_.shape(own_).pcol);
}

int CollisionPlan::padded_columns() const {
  return ceil_div(shape_.ky, division_.shape(own_).pcol);
}

comm::TransposeExchange CollisionPlan::solve(int grids) const {
  const std::int64_t block = static_cast<std::int64_t>(padded_rows(shape_.nx)) * padded_columns();
  return {"solve", column_.team, settings_.solve, solve_rounds_, grids, block};
}

comm::TransposeExchange CollisionPlan::green() const {
  const std::int64_t block = static_cast<std::int64_t>(padded_rows(shape_.mx)) * padded_columns();
  return {"green", column_.team, settings_.green, green_rounds_, 1, block};
}

std::int64_t CollisionPlan::asked_of_transpose(int rows_in_all, bool to_columns) const {
  const int processes = division_.shape(own_).pcol, me = division_.row();
  const auto [first, last] = comm::share(rows_in_all, processes, me);
  const auto [begin, end] = division_.transform_columns(own_, me);
  const std::int64_t rows = last - first, columns = end - begin;
  return 16 * (to_columns ? rows * (shape_.ky - columns) : columns * (rows_in_all - rows));
}

Exchange CollisionPlan::luminosity(const Step& step, const std::vector<int>& shift) const {
  Exchange crossing = empty_crossing("luminosity");
  crossing.channel = Channel::other;
  if (!division_.grid.divided()) return crossing;
  auto team = std::const_pointer_cast<comm::Team>(crossing.team);
  comm::Round& round = std::const_pointer_cast<Rounds>(crossing.rounds)->front();
  std::vector<comm::Transfer>& transfers = own_ == 0 ? round.receives : round.sends;
  std::vector<int> pairs(step.pairs());
  std::iota(pairs.begin(), pairs.end(), 0);
  const auto theirs =
      by_column(step, own_pairs(step, own_, pairs), other_, division_.shape(other_).prow);
  const std::int64_t ny = shape_.ny;
  std::vector<Items>& pair = crossing.items;
  for (const int p : pairs) pair.push_back(std::make_shared<std::vector<int>>(1, p));
  for (int column = 0; column < std::ssize(theirs); ++column) {
    if (theirs[column].empty()) continue;
    for (int row = 0; row < division_.shape(other_).pcol; ++row) {
      comm::Transfer transfer{static_cast<int>(team->ranks.size()), {}};
      for (const int p : theirs[column]) {
        // Rows as the window of beam 2 counts them.
        auto first = division_.rows(0, own_ == 0 ? division_.row() : row);
        first.first += shift[p];
        first.second += shift[p];
        const auto rows = common(common(first, {0, shape_.nx}),
                                 division_.rows(1, own_ == 0 ? row : division_.row()));
        if (rows.first == rows.second) continue;
        transfer.chunks.push_back(static_cast<int>(crossing.blocks.size()));
        crossing.blocks.push_back(
            {pair[p].get(), rows.first * ny, (rows.second - rows.first) * ny});
      }
      if (transfer.chunks.empty()) continue;
      team->ranks.push_back(division_.grid.rank_at(other_, column, row));
      transfers.push_back(std::move(transfer));
    }
  }
  return crossing;
}

}  // namespace phasewise::collision
