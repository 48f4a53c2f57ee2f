// Columns that ranks with much work give to those with little.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "atmosphere/balance.hpp"

namespace phasewise::atmosphere {
namespace {

// A rank's cost beyond what it shall have, or below it.
struct Excess {
  int rank;
  double cost;
};

// The costs of all ranks while columns move, and the columns that each rank may still give.
class Gifts {
 public:
  explicit Gifts(const Loads& loads)
      : costs_(loads.costs.of),
        holders_(loads.layout.owners()),
        load_(static_cast<std::size_t>(loads.layout.ranks()), 0.0),
        left_(load_.size()) {
    for (std::size_t column = 0; column < holders_.size(); ++column)
      load_[holders_[column]] += costs_[column];
    for (std::size_t rank = 0; rank < load_.size(); ++rank) {
      const auto own = loads.layout.columns(static_cast<int>(rank));
      left_[rank].assign(own.begin(), own.end());
    }
  }

  double load(int rank) const { return load_[rank]; }
  double mean(const std::vector<int>& ranks) const {
    double all = 0.0;
    for (const int rank : ranks) all += load_[rank];
    return all / static_cast<double>(ranks.size());
  }

  // Gives the most expensive columns that fit, so that few move. Returns what they cost.
  double give(int from, int to, double room) {
    std::vector<std::int32_t>& left = sorted(from);
    double given = 0.0;
    std::erase_if(left, [&](std::int32_t column) {
      const double cost = costs_[column];
      if (!(cost > 0.0 && given + cost <= room)) return false;
      given += cost;
      holders_[column] = to;
      return true;
    });
    load_[from] -= given;
    load_[to] += given;
    return given;
  }

  // Gives the column that leaves the two ranks most alike, if any lowers the larger cost.
  bool improve(int from, int to) {
    std::vector<std::int32_t>& left = sorted(from);
    const double apart = load_[from] - load_[to];
    const auto distance = [&](std::int32_t column) {
      return std::fabs(costs_[column] - 0.5 * apart);
    };
    const auto best = std::ranges::min_element(left, {}, distance);
    if (best == left.end() || !(costs_[*best] > 0.0 && costs_[*best] < apart)) return false;
    load_[from] -= costs_[*best];
    load_[to] += costs_[*best];
    holders_[*best] = to;
    left.erase(best);
    return true;
  }

  Holders take() { return std::move(holders_); }

 private:
  // By cost, the most expensive first.
  std::vector<std::int32_t>& sorted(int rank) {
    std::vector<std::int32_t>& left = left_[rank];
    const auto cost = [&](std::int32_t column) { return costs_[column]; };
    if (!std::ranges::is_sorted(left, std::greater{}, cost))
      std::ranges::stable_sort(left, std::greater{}, cost);
    return left;
  }

  const std::vector<double>& costs_;
  Holders holders_;
  std::vector<double> load_;
  std::vector<std::vector<std::int32_t>> left_;  // of each rank
};

// The largest excess goes to the largest lack, and so on.
void match_costs(std::vector<Excess>& givers, std::vector<Excess>& takers, Gifts& gifts) {
  const auto by_cost = [](const Excess& a, const Excess& b) {
    return a.cost != b.cost ? a.cost > b.cost : a.rank < b.rank;
  };
  std::ranges::sort(givers, by_cost);
  std::ranges::sort(takers, by_cost);
  std::size_t giver = 0, taker = 0;
  while (giver < givers.size() && taker < takers.size()) {
    Excess &from = givers[giver], &to = takers[taker];
    const bool fits = from.cost <= to.cost;
    const double given = gifts.give(from.rank, to.rank, std::min(from.cost, to.cost));
    from.cost -= given;
    to.cost -= given;
    ++(fits ? giver : taker);
  }
}

// Columns too expensive to fit may still lower the largest cost of the group. The rank that got one
// may then have the largest cost, and gives a column of its own where that lowers it.
void improve_group(const std::vector<int>& group, double level, Gifts& gifts) {
  std::set<std::pair<double, int>> loads;
  for (const int rank : group) loads.emplace(gifts.load(rank), rank);
  for (;;) {
    const auto [most, from] = *loads.rbegin();
    const auto [least, to] = *loads.begin();
    if (!(most > level) || !gifts.improve(from, to)) return;
    loads.erase({most, from});
    loads.erase({least, to});
    loads.emplace(gifts.load(from), from);
    loads.emplace(gifts.load(to), to);
  }
}

// Ranks above `level` give to those below the mean.
void give_down_to(double level, const std::vector<int>& group, const std::vector<int>& nodes,
                  Gifts& gifts) {
  const double mean = gifts.mean(group);
  std::vector<Excess> givers, takers;
  for (const std::vector<int>& members : members_by_node(group, nodes)) {
    std::vector<Excess> give, take;
    for (const int member : members) {
      const double load = gifts.load(group[member]);
      if (load > level) give.push_back({group[member], load - level});
      if (load < mean) take.push_back({group[member], level - load});
    }
    match_costs(give, take, gifts);
    std::ranges::copy(give, std::back_inserter(givers));
    std::ranges::copy(take, std::back_inserter(takers));
  }
  match_costs(givers, takers, gifts);
  improve_group(group, level, gifts);
}

}  // namespace

std::vector<int> all_ranks(const Layout& layout) {
  std::vector<int> all(static_cast<std::size_t>(layout.ranks()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Holders give_in(const std::vector<std::vector<int>>& groups, const Loads& loads) {
  Gifts gifts(loads);
  for (const std::vector<int>& group : groups)
    give_down_to(gifts.mean(group), group, loads.nodes, gifts);
  return gifts.take();
}

std::vector<std::vector<int>> pairs_by_cost(const Loads& loads) {
  const Gifts gifts(loads);
  std::vector<int> order = all_ranks(loads.layout);
  std::ranges::stable_sort(order, std::greater{}, [&](int rank) { return gifts.load(rank); });
  std::vector<std::vector<int>> pairs;
  pairs.reserve(order.size() / 2);
  for (std::size_t i = 0; i < order.size() / 2; ++i)
    pairs.push_back({order[i], order[order.size() - 1 - i]});
  return pairs;
}

// Tries levels between the mean and the largest cost, at which nothing moves.
Holders give_where_it_pays(const Loads& loads, double moving) {
  constexpr int levels = 8;
  const std::vector<int> all = all_ranks(loads.layout);
  const Gifts before(loads);
  const double mean = before.mean(all);
  double most = 0.0;
  for (const int rank : all) most = std::max(most, before.load(rank));
  Holders best = loads.layout.owners();
  double least = most;
  for (int level = levels - 1; level >= 0; --level) {
    Gifts gifts(loads);
    give_down_to(mean + (most - mean) * level / levels, all, loads.nodes, gifts);
    double slowest = 0.0;
    for (const int rank : all) slowest = std::max(slowest, gifts.load(rank));
    Holders holders = gifts.take();
    std::vector<std::int64_t> moved(all.size(), 0);
    for (std::size_t column = 0; column < holders.size(); ++column) {
      const int owner = loads.layout.owner(static_cast<std::int64_t>(column));
      if (holders[column] == owner) continue;
      ++moved[owner];
      ++moved[holders[column]];
    }
    const auto busiest = static_cast<double>(*std::ranges::max_element(moved));
    const double seconds = slowest + busiest * moving;
    if (!(seconds < least)) continue;
    least = seconds;
    best = std::move(holders);
  }
  return best;
}

}  // namespace phasewise::atmosphere
