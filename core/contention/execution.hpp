// A program's messages in time on a network: each sets off when both ends have begun (or at once,
// where it is eager), waits for its latency, and then gets its fair share of every link on its way.
// The model of the simulator behind the twins, without MPI and without its precision in time.
#pragma once

#include <cstdint>
#include <vector>

#include "contention/network.hpp"
#include "contention/program.hpp"
#include "contention/walk.hpp"

namespace phasewise::contention {

// How messages leave the straight line, as in [protocol] of a machine file (docs/machines.md).
struct Protocol {
  std::int64_t eager = 0;           // shorter messages set off without the receiver
  std::vector<std::int64_t> sizes;  // from each on, the factors
  std::vector<double> bandwidth_factors, latency_factors;
};

// resolution: rates are kept for so much of the time that a message takes. Throws std::logic_error
// where the ranks wait for each other for ever.
Execution execute(const Program& program, const Network& network, const Protocol& protocol,
                  double resolution);

}  // namespace phasewise::contention
