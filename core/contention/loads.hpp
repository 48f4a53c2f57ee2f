// Times of messages from tables of measured ones, by size and load. The load of a message is how
// much less than the whole of the first place that it shares with others (the bus of its node, its
// adapter, or a link of the torus) is its fair share.
#pragma once

#include <vector>

#include "contention/execution.hpp"
#include "contention/network.hpp"

namespace phasewise::contention {

// Measured times, straight lines in between and beyond: seconds[load][size].
struct LoadTable {
  std::vector<double> sizes, loads;  // [B]; 1 where a message is alone; increasing
  std::vector<std::vector<double>> seconds;

  double at(double size, double load) const;
};

class LoadTables : public Timing {
 public:
  // Of messages within the nodes of a network, and between them.
  LoadTables(const Network& network, LoadTable within, LoadTable between)
      : network_(network), within_(std::move(within)), between_(std::move(between)) {}
  Message message(const Route& route, std::int64_t bytes, int from, int to) const override;
  double progress(const Message& message, double share) const override;

 private:
  const Network& network_;
  LoadTable within_, between_;
};

// The load of each message of a pattern in which rank i sends to to[i] (-1: nothing).
std::vector<double> loads_of(const std::vector<int>& to, const Network& network);

}  // namespace phasewise::contention
