// The ranks that exchange with each other.
#pragma once

#include <memory>
#include <vector>

namespace phasewise::comm {

// The members in the order in which rounds and blocks number them, and which of them this rank is;
// -1 where it is none, as where two sides exchange and only the other is listed.
struct Team {
  std::vector<int> ranks;  // among all
  int me = 0;
};
using TeamPointer = std::shared_ptr<const Team>;

// One team of a division of all ranks into teams: equal numbers on its members, others elsewhere.
struct TeamOfDivision {
  TeamPointer team;
  int number = 0;
};

}  // namespace phasewise::comm
