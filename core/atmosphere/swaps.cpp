// Ranks even out their columns by day and by night.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "atmosphere/balance.hpp"

namespace phasewise::atmosphere {
namespace {

struct Surplus {
  int rank;
  std::int64_t columns;
};

// The columns of all ranks by night (0) and by day (1), and the next one of each rank to go.
class Sides {
 public:
  explicit Sides(const Loads& loads)
      : loads_(loads),
        holders_(loads.layout.owners()),
        lit_(static_cast<std::size_t>(loads.layout.ranks()), 0),
        next_(2 * lit_.size(), 0) {
    for (std::size_t column = 0; column < holders_.size(); ++column)
      lit_[holders_[column]] += loads.costs.lit[column];
  }

  std::int64_t columns(int rank) const { return std::ssize(loads_.layout.columns(rank)); }
  std::int64_t count(int rank, int side) const {
    return side == 1 ? lit_[rank] : columns(rank) - lit_[rank];
  }
  // Columns leave in order, so that neighbours go together.
  void move(int from, int to, std::int64_t count, int side) {
    const auto columns = loads_.layout.columns(from);
    std::size_t& next = next_[2 * static_cast<std::size_t>(from) + static_cast<std::size_t>(side)];
    for (; count > 0; ++next)
      if (loads_.costs.lit[columns[next]] == side) {
        holders_[columns[next]] = to;
        --count;
      }
  }
  Holders take() { return std::move(holders_); }

 private:
  const Loads& loads_;
  Holders holders_;
  std::vector<std::int64_t> lit_;
  std::vector<std::size_t> next_;  // [rank][night, day]
};

// One number for all, or one more for those that have the most; none gets more than it has room
// for.
std::vector<std::int64_t> even(const std::vector<std::int64_t>& has,
                               const std::vector<std::int64_t>& room) {
  std::int64_t all = std::accumulate(has.begin(), has.end(), std::int64_t{0});
  std::vector<std::size_t> order(has.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return room[i]; });
  std::vector<std::int64_t> result(has.size());
  std::size_t filled = 0;  // those that have too little room for an even share
  for (; filled < order.size(); ++filled) {
    const std::int64_t own = room[order[filled]];
    if (own * static_cast<std::int64_t>(order.size() - filled) > all) break;
    result[order[filled]] = own;
    all -= own;
  }
  const auto left = static_cast<std::int64_t>(order.size() - filled);
  std::sort(
      order.begin() + static_cast<std::ptrdiff_t>(filled), order.end(),
      [&](std::size_t a, std::size_t b) { return has[a] != has[b] ? has[a] > has[b] : a < b; });
  for (std::size_t i = filled; i < order.size(); ++i) {
    const bool more = static_cast<std::int64_t>(i - filled) < all % left;
    result[order[i]] = all / left + (more ? 1 : 0);
  }
  return result;
}

// How many columns by night and by day each rank of a group gets.
std::array<std::vector<std::int64_t>, 2> goals_of(const std::vector<int>& group,
                                                  const Sides& sides) {
  std::vector<std::int64_t> columns, lit;
  for (const int rank : group) {
    columns.push_back(sides.columns(rank));
    lit.push_back(sides.count(rank, 1));
  }
  const std::int64_t all = std::accumulate(columns.begin(), columns.end(), std::int64_t{0});
  columns = even(columns, std::vector<std::int64_t>(columns.size(), all));
  lit = even(lit, columns);
  std::vector<std::int64_t> night(lit.size());
  std::ranges::transform(columns, lit, night.begin(), std::minus{});
  return {std::move(night), std::move(lit)};
}

// The largest surplus goes to the largest lack, and so on, so that partners are few.
void match(std::vector<Surplus>& givers, std::vector<Surplus>& takers, int side, Sides& sides) {
  const auto by_columns = [](const Surplus& a, const Surplus& b) {
    return a.columns != b.columns ? a.columns > b.columns : a.rank < b.rank;
  };
  std::ranges::sort(givers, by_columns);
  std::ranges::sort(takers, by_columns);
  std::size_t giver = 0, taker = 0;
  while (giver < givers.size() && taker < takers.size()) {
    const std::int64_t count = std::min(givers[giver].columns, takers[taker].columns);
    sides.move(givers[giver].rank, takers[taker].rank, count, side);
    if ((givers[giver].columns -= count) == 0) ++giver;
    if ((takers[taker].columns -= count) == 0) ++taker;
  }
  givers.erase(givers.begin(), givers.begin() + static_cast<std::ptrdiff_t>(giver));
  takers.erase(takers.begin(), takers.begin() + static_cast<std::ptrdiff_t>(taker));
}

// Ranks of a node match first, and what they have left goes to other nodes.
void even_out(const std::vector<int>& group, const std::vector<std::vector<int>>& near,
              const std::vector<std::int64_t>& goals, int side, Sides& sides) {
  std::vector<Surplus> givers, takers;
  for (const std::vector<int>& members : near) {
    std::vector<Surplus> give, take;
    for (const int member : members) {
      const std::int64_t surplus = sides.count(group[member], side) - goals[member];
      if (surplus > 0) give.push_back({group[member], surplus});
      if (surplus < 0) take.push_back({group[member], -surplus});
    }
    match(give, take, side, sides);
    givers.insert(givers.end(), give.begin(), give.end());
    takers.insert(takers.end(), take.begin(), take.end());
  }
  match(givers, takers, side, sides);
}

}  // namespace

std::vector<std::vector<int>> members_by_node(const std::vector<int>& group,
                                              const std::vector<int>& nodes) {
  std::vector<int> order(group.size());
  std::iota(order.begin(), order.end(), 0);
  const auto node = [&](int member) { return nodes[group[member]]; };
  std::ranges::stable_sort(order, {}, node);
  std::vector<std::vector<int>> found;
  for (const int member : order) {
    if (found.empty() || node(found.back().front()) != node(member)) found.emplace_back();
    found.back().push_back(member);
  }
  return found;
}

Holders swap_in(const std::vector<std::vector<int>>& groups, const Loads& loads) {
  Sides sides(loads);
  for (const std::vector<int>& group : groups) {
    const std::array<std::vector<std::int64_t>, 2> goals = goals_of(group, sides);
    const std::vector<std::vector<int>> near = members_by_node(group, loads.nodes);
    for (const int side : {1, 0}) even_out(group, near, goals[side], side, sides);
  }
  return sides.take();
}

}  // namespace phasewise::atmosphere
