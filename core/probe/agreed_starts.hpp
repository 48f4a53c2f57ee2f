// A row of moments at which all ranks start (comm/agreed_start.hpp).
#pragma once

#include <algorithm>
#include <limits>

#include "comm/agreed_start.hpp"
#include "comm/communicator.hpp"
#include "parallel/clock.hpp"

namespace phasewise::probe {

// The first start [s, rank 0's clock], and the time from one to the next.
struct AgreedStarts {
  double first, window;
};

// Collective. `seconds` does once what will be timed, and returns how long it took this rank. The
// time from one start to the next is four times that of the quickest, on the rank where this is
// longest. A rank that is delayed longer misses a start.
template <class F>
AgreedStarts agree_on_starts(const comm::Communicator& world, int warm_up, F&& seconds) {
  double quickest = std::numeric_limits<double>::infinity();
  world.barrier();
  for (int i = 0; i < warm_up; ++i) quickest = std::min(quickest, seconds());
  double values[2] = {quickest, parallel::clock().now() + world.clock_offset()};
  world.max("probe", values);
  const double window = 4.0 * values[0] + comm::spin;
  return {values[1] + comm::agreement + window, window};
}

}  // namespace phasewise::probe
