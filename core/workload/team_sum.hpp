// Sums of doubles over all members of a team, by one call of the library or in rounds of messages.
// Their bits depend on the order of the members unless every partial sum is exact.
#pragma once

#include <span>
#include <string_view>

#include "exchange/protocol.hpp"
#include "exchange/sum_rounds.hpp"
#include "parallel/buffer.hpp"
#include "workload/listener.hpp"

namespace phasewise::workload {

struct SumSetting {
  std::string_view phase;
  exchange::Channel channel = exchange::common_channel;
  exchange::SumAlgorithm algorithm = exchange::SumAlgorithm::recursive_doubling;
  // Of the messages, unless the algorithm is the library's or says it itself.
  exchange::Protocol protocol = exchange::Protocol::irecv_isend;
};

class TeamSum {
 public:
  // Sums so many values over the members of a team, which are on these nodes.
  TeamSum(const SumSetting& setting, const exchange::TeamPointer& team, std::span<const int> nodes,
          std::int64_t values);

  // The exchanges that all ranks prepare together (comm::Executor::prepare) before the first sum by
  // a protocol that needs it; others are faster after it.
  exchange::Exchanges exchanges() const { return {added_, stored_}; }

  // Where this member's values are put before a sum starts. Its result is in another place.
  std::span<double> own();
  // Nothing else may be under way in the channel until finish.
  void start(Listener& listener, bool blocking);
  void progress(Listener& listener) const { listener.progress(setting_.channel); }
  // Waits for the sums. They have no meaning if the listener does not run the turn.
  std::span<const double> finish(Listener& listener);

 private:
  SumSetting setting_;
  exchange::TeamPointer team_;
  std::int64_t values_;
  int result_;
  exchange::ExchangePointer added_, stored_;  // null without rounds
  parallel::Buffer<double> registers_;        // [2][values]
};

}  // namespace phasewise::workload
