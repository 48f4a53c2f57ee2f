// Two ranks of a node that exchange one message each way, as a program: what the costs of calls are
// compared with.
#pragma once

#include "comm/pair_exchange.hpp"
#include "driver/program.hpp"

namespace phasewise::driver {

// Or, there and back, one that rank 0 sends and rank 1 returns.
enum class PairOrder { at_once, there_and_back };

contention::Program pair_program(comm::Protocol protocol, PairOrder order, const Rates& rates);

}  // namespace phasewise::driver
