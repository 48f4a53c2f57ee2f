// The schemes that say which rank computes which columns. They depend on what all ranks know alone,
// so that each rank finds the same. With the sun's day and night ranks even out their lit and their
// other columns; with given or measured costs they give columns away.
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

// The places in a group of ranks that are on one node, node after node.
std::vector<std::vector<int>> members_by_node(const std::vector<int>& group,
                                              const std::vector<int>& nodes);
std::vector<int> all_ranks(const Layout& layout);
// The rank of the largest cost and the one of the least, the next two, and so on; a rank in the
// middle has no partner.
std::vector<std::vector<int>> pairs_by_cost(const Loads& loads);

// Evens out the lit columns of each of these groups of ranks, and all of their columns: the ranks
// of a group then have the same number, or one more, of both. No more columns move than that takes;
// ranks that have the same number of columns swap them, and partners within a node come first.
Holders swap_in(const std::vector<std::vector<int>>& groups, const Loads& loads);

// Lets ranks above the mean cost of their group give columns to those below it.
Holders give_in(const std::vector<std::vector<int>>& groups, const Loads& loads);
// Gives columns only as far as the time that the slowest rank saves exceeds that of moving; the
// costs are seconds, and a column takes `moving` seconds on its way out and back.
Holders give_where_it_pays(const Loads& loads, double moving);

// Keeps the columns at (φ, λ) and (-φ, λ + 180°) on one rank, at all times; half of the pairs
// between two ranks go either way.
Holders keep_twins(const Geometry& geometry, const Layout& layout);

}  // namespace phasewise::atmosphere
