// Sums of a few doubles over all members of a team, the same on any number of ranks and by any
// algorithm: members add up digits of fixed-point numbers (numerics/long_accumulator.hpp).
#pragma once

#include <span>

#include "numerics/long_accumulator.hpp"
#include "workload/team_sum.hpp"

namespace phasewise::workload {

inline constexpr int most_global_sums = 1 << 16;  // at once, 552 B each

class GlobalSum {
 public:
  // Makes 1 to most_global_sums sums over the members of a team, which are on these nodes.
  GlobalSum(const SumSetting& setting, const exchange::TeamPointer& team,
            std::span<const int> nodes, int sums);

  // As TeamSum::exchanges.
  exchange::Exchanges exchanges() const { return sum_.exchanges(); }

  // Starts to add up the members' parts. Nothing else may be under way in the channel until finish.
  void start(Listener& listener, std::span<numerics::LongAccumulator> parts) {
    start(listener, parts, false);
  }
  void progress(Listener& listener) const { sum_.progress(listener); }
  // Waits for the sums, each rounded once. They have no meaning if the listener does not run the
  // turn.
  void finish(Listener& listener, std::span<double> sums);
  // Starts and finishes.
  void run(Listener& listener, std::span<numerics::LongAccumulator> parts, std::span<double> sums);

 private:
  void start(Listener& listener, std::span<numerics::LongAccumulator> parts, bool blocking);

  int sums_;
  TeamSum sum_;  // of digits, [sums][size]
};

}  // namespace phasewise::workload
