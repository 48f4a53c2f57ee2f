// The ranks that exchange with each other.
#pragma once

#include <memory>
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

// One team of a division of all ranks into teams. `number` is the same for its members, and
// different for other teams.
struct TeamOfDivision {
  TeamPointer team;
  int number = 0;
};

}  // namespace phasewise::exchange
