// Bunches that are handed from one workload to another in a ring. One part of a composite makes
// them; each of the others is a guest, which runs once for each bunch, on the ranks that hold it.
#pragma once

#include <vector>

#include "exchange/team.hpp"

namespace phasewise::beam {
struct Bunch;
}

namespace phasewise::workload {

// A bunch whose particles may be handed on.
struct SharedBunch {
  int number = 1;          // that of its beam; the flat parameters beam.<number>.* describe it
  std::vector<int> ranks;  // its holders, ascending, with shares of the ids (exchange/share.hpp)
};

// What a guest is given.
struct Host {
  int number = 1;              // of the bunch's beam
  exchange::TeamPointer team;  // the ranks that hold the bunch, and this one's place among them
};

}  // namespace phasewise::workload
