// The schemes that say which rank computes which columns. They depend on the costs of all columns
// alone, so that each rank finds the same. By the sun, ranks swap lit columns for as many of night,
// so that each keeps its number of columns; by given or measured costs, they give columns away.
#pragma once

#include <vector>

#include "atmosphere/geometry.hpp"
#include "atmosphere/schedule.hpp"

namespace phasewise::atmosphere {

// What a scheme knows.
struct Loads {
  const Layout& layout;
  const std::vector<int>& nodes;  // of each rank
  const Costs& costs;
};

// Ranks of equal node, node after node; a node's ranks ascend.
std::vector<std::vector<int>> ranks_of_nodes(const std::vector<int>& nodes);

// By the sun. `swap_in` evens out the lit columns of each of these groups of ranks: each rank of a
// group then has the same number, or one more, as far as it has columns. No more columns move than
// that takes; partners within a node come first.
Holders swap_in(const std::vector<std::vector<int>>& groups, const Loads& loads);
// The rank with the most lit columns swaps with the one with the fewest, and so on.
Holders swap_pairs(const Loads& loads);

// By costs: ranks above the mean of their group give to those below it.
Holders give_in(const std::vector<std::vector<int>>& groups, const Loads& loads);
Holders give_pairs(const Loads& loads);

// What moving columns costs.
struct MoveCosts {
  double seconds = 0.0;  // of a column that goes out and comes back
};
// Gives columns only as far as the time that the slowest rank saves exceeds that of moving; the
// costs are seconds.
Holders give_where_it_pays(const Loads& loads, const MoveCosts& moving);

// The columns at (φ, λ) and (-φ, λ + 180°) on one rank, at all times; half of the pairs between
// two ranks go either way.
Holders keep_twins(const Geometry& geometry, const Layout& layout);

}  // namespace phasewise::atmosphere
