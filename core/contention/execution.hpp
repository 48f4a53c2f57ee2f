// A program's messages in time on a network: each sets off when both ends have begun (or at once,
// where it is eager) and gets its fair share of every link on its way until it has come. How long a
// message takes with a share is a matter of its timing: a machine's parameters (Protocol), or
// tables of measured times (loads.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "contention/network.hpp"
#include "contention/program.hpp"
#include "contention/walk.hpp"

namespace phasewise::contention {

class Timing {
 public:
  struct Message {
    std::int64_t bytes = 0;
    bool within = false;  // a node
    double delay = 0.0;   // before it takes anything of the links [s]
    double most = 0.0;    // of a link's bandwidth [B/s]
    double amount = 0.0;  // to be done, in the units of `progress`
  };
  virtual ~Timing() = default;
  virtual Message message(const Route& route, std::int64_t bytes, int from, int to) const = 0;
  // Of the amount, in a second, with such a share [B/s].
  virtual double progress(const Message& message, double share) const = 0;
};

// Latency, and then bytes at the rate of the share; as the simulator behind the twins has it, with
// the factors of [protocol] of a machine file (docs/machines.md).
class Protocol : public Timing {
 public:
  // From each size on, the factors.
  Protocol(std::vector<std::int64_t> sizes, std::vector<double> bandwidth_factors,
           std::vector<double> latency_factors)
      : sizes_(std::move(sizes)),
        bandwidth_factors_(std::move(bandwidth_factors)),
        latency_factors_(std::move(latency_factors)) {}
  Message message(const Route& route, std::int64_t bytes, int from, int to) const override;
  double progress(const Message& /*message*/, double share) const override { return share; }

 private:
  double factor(const std::vector<double>& factors, std::int64_t bytes) const;
  std::vector<std::int64_t> sizes_;
  std::vector<double> bandwidth_factors_, latency_factors_;
};

// eager: shorter messages set off without the receiver [B]; resolution: rates are kept for so much
// of the time that a message takes. Throws std::logic_error where the ranks wait for each other for
// ever.
Execution execute(const Program& program, const Network& network, const Timing& timing,
                  std::int64_t eager, double resolution);

}  // namespace phasewise::contention
