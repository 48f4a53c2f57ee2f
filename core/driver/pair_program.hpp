// A program of two ranks of a node that exchange one message each way; the measured costs of calls
// are compared with it.
#pragma once

#include "driver/program.hpp"
#include "exchange/pair_exchange.hpp"

namespace phasewise::driver {

// at_once: each rank sends one message. there_and_back: rank 0 sends a message and rank 1 returns
// it.
enum class PairOrder { at_once, there_and_back };

contention::Program pair_program(exchange::Protocol protocol, PairOrder order, const Rates& rates);

}  // namespace phasewise::driver
