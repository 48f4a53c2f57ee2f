// A turn's messages in time from tables of measured ones: each takes what the table has for its
// size and for the number of messages that are on the narrowest place of its way when it sets off.
#pragma once

#include <cstdint>
#include <vector>

#include "contention/network.hpp"
#include "contention/walk.hpp"

namespace phasewise::contention {

// Measured times, straight lines in between and beyond: seconds[load][size].
struct LoadTable {
  std::vector<double> sizes, loads;  // [B]; messages on the narrowest place; increasing
  std::vector<std::vector<double>> seconds;

  double at(double size, double load) const;
};

struct LoadTables {
  LoadTable within, between;  // nodes
  std::int64_t eager = 0;     // [B], shorter messages set off without the receiver
};

Execution execute(const Program& program, const Network& network, const LoadTables& tables);

// The load of each message of a pattern in which rank i sends to to[i] (-1: nothing).
std::vector<double> loads_of(const std::vector<int>& to, const Network& network);

}  // namespace phasewise::contention
