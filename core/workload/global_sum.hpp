// Sums of a few doubles over all members of a team, the same on any number of ranks and by any
// algorithm: members add up digits of fixed-point numbers (numerics/long_accumulator.hpp).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "exchange/sum_rounds.hpp"
#include "numerics/long_accumulator.hpp"
#include "parallel/buffer.hpp"
#include "workload/listener.hpp"

namespace phasewise::workload {

inline constexpr int most_global_sums = 1 << 16;  // at once, 552 B each

struct SumSetting {
  std::string_view phase;
  exchange::Channel channel = exchange::common_channel;
  exchange::SumAlgorithm algorithm = exchange::SumAlgorithm::recursive_doubling;
};

class GlobalSum {
 public:
  // Makes 1 to most_global_sums sums over the members of a team, which are on these nodes.
  GlobalSum(const SumSetting& setting, const exchange::TeamPointer& team,
            std::span<const int> nodes, int sums);

  // The exchanges that all ranks prepare together (comm::Executor::prepare) before the first sum by
  // `put`; other algorithms are faster after it.
  exchange::Exchanges exchanges() const { return {added_, stored_}; }

  // Starts to add up the members' parts. Nothing else may be under way in the channel until finish.
  void start(Listener& listener, std::span<numerics::LongAccumulator> parts);
  void progress(Listener& listener) const { listener.progress(setting_.channel); }
  // Waits for the sums, each rounded once. They have no meaning if the listener does not run the
  // turn.
  void finish(Listener& listener, std::span<double> sums);
  // Starts and finishes.
  void run(Listener& listener, std::span<numerics::LongAccumulator> parts, std::span<double> sums);

 private:
  void start(Listener& listener, std::span<numerics::LongAccumulator> parts, bool blocking);
  std::int64_t places() const { return sums_ * numerics::LongAccumulator::size; }

  SumSetting setting_;
  exchange::TeamPointer team_;
  int sums_;
  int result_;
  exchange::ExchangePointer added_, stored_;  // null without rounds
  parallel::Buffer<double> digits_;           // [2][sums][size]
};

}  // namespace phasewise::workload
