// What a rank does in a turn, as verbs: kernels, sums over all ranks, exchanges that are started,
// advanced and finished, transposes. A workload tells its turn once, to a listener; the listeners
// run it, count its messages, follow them through a network, or add up its kernels' work.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "comm/executor.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::workload {

class Listener {
 public:
  virtual ~Listener() = default;

  // `work` does what the card states, for so many items. Only a listener that runs the turn calls
  // it.
  virtual void kernel(const parallel::KernelCard& card, double items,
                      const std::function<void()>& work) = 0;

  // The library's sums and maxima over all ranks, in place, the result everywhere.
  virtual void sum(std::string_view phase, std::span<double> values) = 0;
  virtual void sum(std::string_view phase, std::span<std::int64_t> values) = 0;
  virtual void max(std::string_view phase, std::span<double> values) = 0;

  // Exchanges one after another. At most one such sequence is under way in a channel; `exchanges`
  // lists it, and is asked by those listeners that look at messages.
  using Exchanges = std::function<std::vector<comm::Work>()>;
  virtual void start(comm::Channel channel, const Exchanges& exchanges) = 0;
  // Goes on as far as it can without waiting.
  virtual void progress(comm::Channel channel) = 0;
  virtual void finish(comm::Channel channel) = 0;

  // Forward or backward transpose of the exchange's grids, which are the items of the buffers.
  virtual void transpose(const comm::TransposeExchange& exchange, const comm::ItemBuffer& from,
                         const comm::ItemBuffer& to) = 0;
};

}  // namespace phasewise::workload
