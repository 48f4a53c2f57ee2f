// Swaps of lit columns for columns of night.
#include <algorithm>
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

// The columns of all ranks by day and by night, and the next one of each rank to go.
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

  std::int64_t lit(int rank) const { return lit_[rank]; }
  std::int64_t columns(int rank) const { return std::ssize(loads_.layout.columns(rank)); }
  // So many lit columns go from one rank to the other, and as many of night come back.
  void swap(int from, int to, std::int64_t count) {
    move(from, to, count, 1);
    move(to, from, count, 0);
  }
  Holders take() { return std::move(holders_); }

 private:
  // Columns leave in order, so that neighbours go together.
  void move(int from, int to, std::int64_t count, std::uint8_t lit) {
    const auto columns = loads_.layout.columns(from);
    std::size_t& next = next_[2 * static_cast<std::size_t>(from) + lit];
    for (; count > 0; ++next)
      if (loads_.costs.lit[columns[next]] == lit) {
        holders_[columns[next]] = to;
        --count;
      }
  }

  const Loads& loads_;
  Holders holders_;
  std::vector<std::int64_t> lit_;
  std::vector<std::size_t> next_;  // [rank][night, day]
};

// How many lit columns each rank of a group gets: one number for all, or one more, and no more than
// it has columns. Those that have the most keep one more.
std::vector<std::int64_t> wanted(const std::vector<int>& ranks, const Sides& sides) {
  std::int64_t all = 0;
  for (const int rank : ranks) all += sides.lit(rank);
  std::vector<std::size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return sides.columns(ranks[i]); });
  std::vector<std::int64_t> result(ranks.size());
  std::size_t filled = 0;  // ranks that have too few columns for an even share
  for (; filled < order.size(); ++filled) {
    const std::int64_t own = sides.columns(ranks[order[filled]]);
    if (own * static_cast<std::int64_t>(order.size() - filled) > all) break;
    result[order[filled]] = own;
    all -= own;
  }
  const auto left = static_cast<std::int64_t>(order.size() - filled);
  if (left == 0) return result;
  std::sort(order.begin() + static_cast<std::ptrdiff_t>(filled), order.end(),
            [&](std::size_t a, std::size_t b) {
              const std::int64_t lit_a = sides.lit(ranks[a]), lit_b = sides.lit(ranks[b]);
              return lit_a != lit_b ? lit_a > lit_b : a < b;
            });
  for (std::size_t i = filled; i < order.size(); ++i) {
    const bool more = static_cast<std::int64_t>(i - filled) < all % left;
    result[order[i]] = all / left + (more ? 1 : 0);
  }
  return result;
}

// The largest surplus goes to the largest lack, and so on, so that partners are few.
void match(std::vector<Surplus>& givers, std::vector<Surplus>& takers, Sides& sides) {
  const auto by_columns = [](const Surplus& a, const Surplus& b) {
    return a.columns != b.columns ? a.columns > b.columns : a.rank < b.rank;
  };
  std::ranges::sort(givers, by_columns);
  std::ranges::sort(takers, by_columns);
  std::size_t giver = 0, taker = 0;
  while (giver < givers.size() && taker < takers.size()) {
    const std::int64_t count = std::min(givers[giver].columns, takers[taker].columns);
    sides.swap(givers[giver].rank, takers[taker].rank, count);
    if ((givers[giver].columns -= count) == 0) ++giver;
    if ((takers[taker].columns -= count) == 0) ++taker;
  }
}

}  // namespace

std::vector<std::vector<int>> ranks_of_nodes(const std::vector<int>& nodes) {
  std::vector<std::vector<int>> groups(static_cast<std::size_t>(*std::ranges::max_element(nodes)) +
                                       1);
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    groups[nodes[rank]].push_back(static_cast<int>(rank));
  std::erase_if(groups, [](const std::vector<int>& group) { return group.empty(); });
  return groups;
}

Holders swap_in(const std::vector<std::vector<int>>& groups, const Loads& loads) {
  Sides sides(loads);
  for (const std::vector<int>& group : groups) {
    const std::vector<std::int64_t> goals = wanted(group, sides);
    std::vector<int> nodes;
    nodes.reserve(group.size());
    for (const int rank : group) nodes.push_back(loads.nodes[rank]);
    std::vector<Surplus> givers, takers;
    for (const std::vector<int>& near : ranks_of_nodes(nodes)) {
      std::vector<Surplus> give, take;
      for (const int member : near) {
        const std::int64_t surplus = sides.lit(group[member]) - goals[member];
        if (surplus > 0) give.push_back({group[member], surplus});
        if (surplus < 0) take.push_back({group[member], -surplus});
      }
      match(give, take, sides);
      for (const Surplus& one : give)
        if (one.columns > 0) givers.push_back(one);
      for (const Surplus& one : take)
        if (one.columns > 0) takers.push_back(one);
    }
    match(givers, takers, sides);
  }
  return sides.take();
}

Holders swap_pairs(const Loads& loads) {
  Sides sides(loads);
  std::vector<int> order(static_cast<std::size_t>(loads.layout.ranks()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{}, [&](int rank) { return sides.lit(rank); });
  for (std::size_t i = 0; i < order.size() / 2; ++i) {
    const int most = order[i], fewest = order[order.size() - 1 - i];
    const std::int64_t night = sides.columns(fewest) - sides.lit(fewest);
    sides.swap(most, fewest, std::min((sides.lit(most) - sides.lit(fewest)) / 2, night));
  }
  return sides.take();
}

}  // namespace phasewise::atmosphere
