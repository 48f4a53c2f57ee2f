#include "collision/exchange/crossing.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "exchange/partners.hpp"

namespace phasewise::collision {
namespace {

using exchange::Exchange;
using exchange::Items;
using exchange::Rounds;

std::pair<int, int> own_rows(const PlanBasis& basis) {
  return basis.division.rows(basis.own, basis.division.row());
}

Items items_from(std::vector<int> items) {
  return std::make_shared<std::vector<int>>(std::move(items));
}

// Makes rounds between `ours` members of this beam and `theirs` members of the other one. This
// member sends its own chunk, of number `theirs`, to each member of the other beam, and receives
// chunk i from member i. In round 0 it meets the member with its own number.
Rounds straight_rounds(exchange::Schedule schedule, int me, int theirs, int ours) {
  const int larger = std::max(theirs, ours);
  const auto is_there = [=](int member) { return member != exchange::nobody && member < theirs; };
  Rounds rounds;
  for (int k = 0; k <= exchange::meetings(schedule, larger); ++k) {
    const auto [to, from] = exchange::partners(schedule, me, larger, k);
    exchange::Round& round = rounds.emplace_back();
    if (is_there(to)) round.sends.push_back({to, {theirs}});
    if (is_there(from)) round.receives.push_back({from, {from}});
  }
  return rounds;
}

exchange::ExchangePointer straight_crossing(const PlanBasis& basis, const PhaseKind& kind,
                                            const Step& step, const Pairs& pairs) {
  const std::vector<int> ranks = basis.ranks(basis.other, kind.among);
  const exchange::Team& own = *basis.member(kind.among).team;
  Blocks blocks = blocks_of(basis, kind.among, basis.other, step, pairs, basis.other);
  const int prow = basis.shape_of(basis.own).prow;
  const Items mine =
      kind.among == Among::column
          ? items_of(basis, step, pairs, basis.own)
          : items_from(dealt(basis, step, pairs, basis.own, prow)[basis.division.column()]);
  blocks.items.push_back(mine);
  blocks.blocks.push_back(block_of(basis, mine, own_rows(basis)));
  const int theirs = static_cast<int>(ranks.size()), ours = static_cast<int>(own.ranks.size());
  return std::make_shared<Exchange>(
      Exchange{.phase = kind.name(),
               .channel = kind.channel(),
               .uniform = kind.uniform(),
               .team = std::make_shared<exchange::Team>(exchange::Team{ranks, -1}),
               .rounds = std::make_shared<Rounds>(
                   straight_rounds(kind.setting(basis.settings).schedule, own.me, theirs, ours)),
               .items = std::move(blocks.items),
               .blocks = std::move(blocks.blocks)});
}

// An exchange of one round with ranks of the other beam, under construction.
struct Mirror {
  exchange::Team team{{}, -1};
  exchange::Round round;
  Blocks blocks;
};

// Adds the messages between this rank and the ranks of one column of the other beam that share rows
// with it.
void append_column(Mirror& mirror, const PlanBasis& basis, int column, const Items& out,
                   const Items& in) {
  const auto mine = own_rows(basis);
  mirror.blocks.items.insert(mirror.blocks.items.end(), {out, in});
  for (int row = 0; row < basis.shape_of(basis.other).pcol; ++row) {
    const auto rows = common(mine, basis.division.rows(basis.other, row));
    if (rows.first == rows.second) continue;
    const int peer = static_cast<int>(mirror.team.ranks.size());
    mirror.team.ranks.push_back(basis.division.grid.rank_at(basis.other, column, row));
    const int chunk = static_cast<int>(mirror.blocks.blocks.size());
    mirror.blocks.blocks.push_back(block_of(basis, out, rows));
    mirror.blocks.blocks.push_back(block_of(basis, in, rows));
    if (!out->empty()) mirror.round.sends.push_back({peer, {chunk}});
    if (!in->empty()) mirror.round.receives.push_back({peer, {chunk + 1}});
  }
}

// Sends slice s of this beam to column s mod Prow of the other beam.
Mirror mirror_by_slices(const PlanBasis& basis, const Step& step, const Pairs& pairs) {
  Mirror mirror;
  const int own = basis.own, other = basis.other, mine = basis.division.column();
  const int prow = basis.shape_of(own).prow, their_prow = basis.shape_of(other).prow;
  if (basis.same_shapes()) {
    append_column(mirror, basis, mine, items_from(dealt(basis, step, pairs, own, prow)[mine]),
                  items_from(dealt(basis, step, pairs, other, prow)[mine]));
    return mirror;
  }
  const auto out = by_column(step, own_pairs(basis, step, own, pairs), own, their_prow);
  const auto theirs = by_column(step, pairs, other, their_prow);
  for (int column = 0; column < their_prow; ++column) {
    const Pairs in = by_column(step, theirs[column], other, prow)[mine];
    if (!out[column].empty() || !in.empty())
      append_column(mirror, basis, column, items_of(basis, step, out[column], own),
                    items_of(basis, step, in, other));
  }
  return mirror;
}

// Every column already has all slices; column c of the other beam receives them from column c mod
// Prow of this one.
Mirror mirror_by_columns(const PlanBasis& basis, const Step& step, const Pairs& pairs) {
  Mirror mirror;
  const int mine = basis.division.column();
  const int prow = basis.shape_of(basis.own).prow, their_prow = basis.shape_of(basis.other).prow;
  const Items ours = items_of(basis, step, pairs, basis.own),
              theirs = items_of(basis, step, pairs, basis.other), nothing = items_from({});
  for (int column = 0; column < their_prow; ++column) {
    const bool gives = column % prow == mine, gets = mine % their_prow == column;
    if (gives || gets)
      append_column(mirror, basis, column, gives ? ours : nothing, gets ? theirs : nothing);
  }
  return mirror;
}

exchange::ExchangePointer finished(Mirror&& mirror, const PhaseKind& kind) {
  return std::make_shared<Exchange>(
      Exchange{.phase = kind.name(),
               .channel = kind.channel(),
               .uniform = kind.uniform(),
               .team = std::make_shared<exchange::Team>(std::move(mirror.team)),
               .rounds = std::make_shared<Rounds>(1, std::move(mirror.round)),
               .items = std::move(mirror.blocks.items),
               .blocks = std::move(mirror.blocks.blocks)});
}

}  // namespace

exchange::Exchanges straight_crossings(const PlanBasis& basis, const PhaseKind& kind,
                                       const Step& step, const Pairs& pairs) {
  exchange::Exchanges result;
  for (const Pairs& together : messages(pairs, kind.setting(basis.settings).aggregate))
    result.push_back(straight_crossing(basis, kind, step, together));
  return result;
}

exchange::Exchanges mirror_crossings(const PlanBasis& basis, const PhaseKind& kind,
                                     const Step& step, const Pairs& pairs) {
  if (kind.among != Among::column) return {finished(mirror_by_slices(basis, step, pairs), kind)};
  exchange::Exchanges result;
  for (const Pairs& together : messages(pairs, kind.setting(basis.settings).aggregate))
    result.push_back(finished(mirror_by_columns(basis, step, together), kind));
  return result;
}

}  // namespace phasewise::collision
