// The ranks that exchange with each other.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace phasewise::exchange {

// The members, in the order in which rounds and blocks number them. `me` is this rank's number, or
// -1 if it is no member, as when two sides exchange and only the other side is listed.
struct Team {
  std::vector<int> ranks;  // among all
  int me = 0;
  // The node of each member. If it is empty, nodes are unknown, and no members share memory.
  std::vector<int> nodes = {};

  bool near(int member) const { return !nodes.empty() && nodes[member] == nodes[me]; }
};
using TeamPointer = std::shared_ptr<const Team>;

// The team of all ranks 0 … ranks - 1.
inline TeamPointer team_of_all(int ranks, int me, std::vector<int> nodes = {}) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return std::make_shared<const Team>(
      Team{.ranks = std::move(all), .me = me, .nodes = std::move(nodes)});
}
// The team of these ranks; this rank, `rank`, need not be one of them.
inline TeamPointer team_of(std::vector<int> ranks, int rank) {
  const auto found = std::ranges::find(ranks, rank);
  const int me = found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
  return std::make_shared<const Team>(Team{.ranks = std::move(ranks), .me = me});
}
// The team of two ranks, which may be the same: `other` is member 0, and `rank`, this rank, is
// member 1. `nodes` has the nodes of all ranks.
inline TeamPointer team_of_pair(int other, int rank, const std::vector<int>& nodes) {
  return std::make_shared<const Team>(
      Team{.ranks = {other, rank}, .me = 1, .nodes = {nodes[other], nodes[rank]}});
}

// One team of a division of all ranks into teams. `number` is the same for its members, and
// different for other teams.
struct TeamOfDivision {
  TeamPointer team;
  int number = 0;
};

}  // namespace phasewise::exchange
