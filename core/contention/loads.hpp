// The times of messages from tables of measured times, by size and load. The load of a message is
// the capacity of the link that it shares first (Network::reference_capacity) over its fair share.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "contention/execution.hpp"
#include "contention/network.hpp"

namespace phasewise::contention {

// Measured times, interpolated and extrapolated linearly.
struct LoadTable {
  std::vector<double> sizes, loads;          // [B], and 1 for a message alone; both increasing
  std::vector<std::vector<double>> seconds;  // [load][size]

  double at(double size, double load) const;
};

class LoadTables : public Timing {
 public:
  // There is a table for messages of each level.
  LoadTables(const Network& network, LoadTable within, LoadTable across, LoadTable between)
      : network_(network), tables_{std::move(within), std::move(across), std::move(between)} {}
  Message message(const Route& route, std::int64_t bytes, int from, int to,
                  Company company) const override;
  double progress(const Message& message, double share) const override;

 private:
  const Network& network_;
  std::array<LoadTable, 3> tables_;  // by level
};

// The loads of the messages of a pattern in which rank i sends to to[i] (-1: to nobody).
std::vector<double> loads_of(const std::vector<int>& to, const Network& network);

}  // namespace phasewise::contention
