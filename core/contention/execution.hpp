// A program's messages in time on a network. A message departs when both ends have posted it (an
// eager one at once), and gets its fair share of every link on its way until it arrives. A Timing
// says how long the message takes with such a share, from a machine's parameters (Protocol) or from
// tables of measured times (loads.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "contention/curve.hpp"
#include "contention/network.hpp"
#include "contention/program.hpp"
#include "contention/walk.hpp"

namespace phasewise::contention {

class Timing {
 public:
  struct Message {
    std::int64_t bytes = 0;
    Level level = Level::within;
    double delay = 0.0;     // before it uses the links [s]
    double max_rate = 0.0;  // the most that it can take of a link [B/s]
    double amount = 0.0;    // of work, in the units of `progress`
    // How much of the ranks' links at its ends a byte takes, if the ranks have links.
    double of_sender = 1.0, of_receiver = 1.0;
    // Of a link that several messages fill, each gets a share in inverse proportion to this.
    double penalty = 1.0;
  };
  virtual ~Timing() = default;
  virtual Message message(const Route& route, std::int64_t bytes, int from, int to,
                          Company company) const = 0;
  // The amount done per second, given this share of the links [B/s].
  virtual double progress(const Message& message, double share) const = 0;
};

// A latency, and then bytes at the rate of the share, as in the simulator behind the twins, with
// the factors of [protocol] in a machine file (docs/machine-file.md).
class Protocol : public Timing {
 public:
  // Each factor holds for messages of at least the size with the same index. A message with
  // data is longer by `header` bytes. by_latency: messages of shorter latency get more of a link
  // that they share with others, as in the simulator.
  Protocol(std::vector<std::int64_t> sizes, std::vector<double> bandwidth_factors,
           std::vector<double> latency_factors, Streams streams = {}, Swaps swaps = {},
           std::int64_t header = 0, bool by_latency = false)
      : sizes_(std::move(sizes)),
        bandwidth_factors_(std::move(bandwidth_factors)),
        latency_factors_(std::move(latency_factors)),
        streams_(std::move(streams)),
        swaps_(std::move(swaps)),
        header_(header),
        by_latency_(by_latency) {}
  Message message(const Route& route, std::int64_t bytes, int from, int to,
                  Company company) const override;
  double progress(const Message& /*message*/, double share) const override { return share; }

 private:
  double factor(const std::vector<double>& factors, std::int64_t bytes) const;
  std::vector<std::int64_t> sizes_;
  std::vector<double> bandwidth_factors_, latency_factors_;
  Streams streams_;
  Swaps swaps_;
  std::int64_t header_;
  bool by_latency_;
};

// Messages shorter than `eager` [B] depart without waiting for the receiver. Rates are kept for the
// fraction `resolution` of the mean time of the messages on their way. Throws std::logic_error if
// the ranks wait for each other for ever.
Execution execute(const Program& program, const Network& network, const Timing& timing,
                  std::int64_t eager, double resolution);

}  // namespace phasewise::contention
