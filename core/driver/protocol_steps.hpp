// The messages by which a protocol carries a round of an exchange, step by step, for the models.
#pragma once

#include <vector>

#include "comm/exchange.hpp"
#include "contention/program.hpp"

namespace phasewise::driver {

// Messages that a rank has under way together; the next step begins when they have arrived.
struct ProtocolStep {
  std::vector<contention::Send> sends;
  std::vector<int> sources;  // ranks
};

struct ProtocolSteps {
  std::vector<ProtocolStep> steps;
  bool blocking = false;  // the calls return when the messages are there
  bool fence = false;     // a barrier of all ranks follows
};

// What data and signals of `round` are as messages between ranks. Memory that ranks of a node share
// carries no data messages; its flags are empty messages here, as on a simulated machine.
ProtocolSteps steps_of(const comm::Exchange& exchange, const comm::Round& round, int rank);

}  // namespace phasewise::driver
