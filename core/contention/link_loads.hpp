// The bytes that a turn's messages carry over each link of a machine's network, whatever the time.
#pragma once

#include <vector>

#include "contention/network.hpp"
#include "contention/program.hpp"

namespace phasewise::contention {

// Adds `share` of the bytes of a program's messages to those of each link (as many as the network
// has). A round that stands for others counts for them too.
void add_link_bytes(const Program& program, const Network& network, double share,
                    std::vector<double>& bytes);

}  // namespace phasewise::contention
