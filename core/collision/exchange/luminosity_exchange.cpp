#include "collision/exchange/luminosity_exchange.hpp"

#include <memory>

#include "collision/exchange/dealing.hpp"

namespace phasewise::collision {
namespace {

// The rows of a pair's mesh that this rank shares with a rank in row `their_row` of the other beam,
// counted in the window of beam 2.
std::pair<int, int> shared_rows(const PlanBasis& basis, int their_row, int shift) {
  const int mine = basis.division.row();
  auto first = basis.division.rows(0, basis.own == 0 ? mine : their_row);
  first.first += shift;
  first.second += shift;
  return common(common(first, {0, basis.shape.nx}),
                basis.division.rows(1, basis.own == 0 ? their_row : mine));
}

}  // namespace

exchange::ExchangePointer luminosity_exchange(const PlanBasis& basis, const Step& step,
                                              const std::vector<int>& shift) {
  exchange::Team team{{}, -1};
  exchange::Rounds rounds(1);
  Blocks all;
  if (basis.division.grid.divided()) {
    std::vector<exchange::Transfer>& transfers =
        basis.own == 0 ? rounds.front().receives : rounds.front().sends;
    const Pairs pairs = all_pairs(step);
    const std::vector<Pairs> theirs = by_column(step, own_pairs(basis, step, basis.own, pairs),
                                                basis.other, basis.shape_of(basis.other).prow);
    for (const int p : pairs) all.items.push_back(std::make_shared<std::vector<int>>(1, p));
    for (int column = 0; column < std::ssize(theirs); ++column)
      for (int row = 0; row < basis.shape_of(basis.other).pcol; ++row) {
        exchange::Transfer transfer{static_cast<int>(team.ranks.size()), {}};
        for (const int p : theirs[column]) {
          const auto rows = shared_rows(basis, row, shift[p]);
          if (rows.first == rows.second) continue;
          transfer.chunks.push_back(static_cast<int>(all.blocks.size()));
          all.blocks.push_back(block_of(basis, all.items[p], rows));
        }
        if (transfer.chunks.empty()) continue;
        team.ranks.push_back(basis.division.grid.rank_at(basis.other, column, row));
        transfers.push_back(std::move(transfer));
      }
  }
  return std::make_shared<exchange::Exchange>(
      exchange::Exchange{.phase = "luminosity",
                         .team = std::make_shared<exchange::Team>(std::move(team)),
                         .rounds = std::make_shared<exchange::Rounds>(std::move(rounds)),
                         .items = std::move(all.items),
                         .blocks = std::move(all.blocks)});
}

}  // namespace phasewise::collision
