// The rounds of messages by which the library is taken to do a collective.
#pragma once

#include "contention/collectives.hpp"
#include "exchange/collective.hpp"

namespace phasewise::driver {

// The rounds of member `me` of p. at_once: as SimGrid 3.32 sends nonblocking collectives, without
// rounds.
contention::CollectiveRounds rounds_of(const exchange::Collective& collective, int p, int me,
                                       bool at_once);

}  // namespace phasewise::driver
