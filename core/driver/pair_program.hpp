// Two ranks of a node that exchange one message each way, as a program: what the costs of calls are
// compared with.
#pragma once

#include "comm/pair_exchange.hpp"
#include "driver/program.hpp"

namespace phasewise::driver {

contention::Program pair_program(comm::Protocol protocol, const comm::PairMessages& messages,
                                 const Rates& rates);

}  // namespace phasewise::driver
