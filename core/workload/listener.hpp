// The actions of a rank in a turn: kernels, sums over all ranks, exchanges that are started,
// advanced and finished, and transposes. A workload reports its actions to a listener. Listeners
// run them, count their messages, follow the messages through a network, or add up the kernels'
// work.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "exchange/collective.hpp"
#include "exchange/posted_message.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::workload {

class Listener {
 public:
  virtual ~Listener() = default;

  // `work` does the card's work for this number of items. Only a listener that runs the turn calls
  // it.
  virtual void kernel(const parallel::KernelCard& card, double items,
                      const std::function<void()>& work) = 0;

  // The library's sums and maxima over the ranks of a team, or over all ranks, in place; all of
  // these ranks get the result.
  virtual void sum(std::string_view phase, std::span<double> values,
                   const exchange::TeamPointer& team) = 0;
  virtual void sum(std::string_view phase, std::span<std::int64_t> values,
                   const exchange::TeamPointer& team) = 0;
  virtual void max(std::string_view phase, std::span<double> values,
                   const exchange::TeamPointer& team) = 0;
  void sum(std::string_view phase, std::span<double> values) { sum(phase, values, nullptr); }
  void sum(std::string_view phase, std::span<std::int64_t> values) { sum(phase, values, nullptr); }
  void max(std::string_view phase, std::span<double> values) { max(phase, values, nullptr); }

  // Starts exchanges that run one after another; at most one such sequence, or one collective, may
  // be under way in a channel. Listeners that look at messages call `exchanges`, which appends
  // them.
  using Exchanges = std::function<void(exchange::Works&)>;
  virtual void start(exchange::Channel channel, const Exchanges& exchanges) = 0;
  // Starts a collective of the library; the memory is as in comm::PendingCollective::start, or null
  // in a skeleton run.
  virtual void start_collective(const exchange::Collective& collective, const std::byte* from,
                                std::byte* to) = 0;
  // Advances as far as possible without waiting.
  virtual void progress(exchange::Channel channel) = 0;
  virtual void finish(exchange::Channel channel) = 0;

  // What a program does that was recorded. Computing that takes so many seconds, whatever its work
  // is:
  virtual void compute(std::string_view name, double seconds) = 0;
  // One end of a message, whose contents do not matter.
  virtual void post(const exchange::PostedMessage& message) = 0;
  // Waits for the messages and the collectives that have these requests.
  virtual void wait(std::string_view phase, std::span<const int> requests) = 0;

  // A data-dependent piece whose place is inside of another piece: `actions` reports it. A listener
  // that runs the turn does it; others take it as often as the counts of the pieces say.
  virtual void if_needed(std::string_view piece, const std::function<void()>& actions) = 0;

  // The forward or backward transpose of the exchange's grids, which are the items of the buffers.
  virtual void transpose(const exchange::TransposeExchange& exchange,
                         const exchange::ItemBuffer& from, const exchange::ItemBuffer& to) = 0;
};

}  // namespace phasewise::workload
