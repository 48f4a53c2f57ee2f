// A listener that neither runs the turn nor needs MPI.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "workload/listener.hpp"

namespace phasewise::workload {

// Ignores every action that a derived class does not override.
class OfflineListener : public Listener {
 public:
  void kernel(const parallel::KernelCard& /*card*/, double /*items*/,
              const std::function<void()>& /*work*/) override {}
  void sum(std::string_view phase, std::span<double> values,
           const exchange::TeamPointer& team) final {
    summed(phase, values.size(), team);
  }
  void sum(std::string_view phase, std::span<std::int64_t> values,
           const exchange::TeamPointer& team) final {
    summed(phase, values.size(), team);
  }
  void max(std::string_view phase, std::span<double> values,
           const exchange::TeamPointer& team) final {
    summed(phase, values.size(), team);
  }
  void start(exchange::Channel /*channel*/, const Exchanges& /*exchanges*/) override {}
  void start_collective(const exchange::Collective& /*collective*/, const std::byte* /*from*/,
                        std::byte* /*to*/) override {}
  void compute(std::string_view /*name*/, double /*seconds*/) override {}
  void post(const exchange::PostedMessage& /*message*/) override {}
  void wait(std::string_view /*phase*/, std::span<const int> /*requests*/) override {}
  void progress(exchange::Channel /*channel*/) override {}
  void finish(exchange::Channel /*channel*/) override {}
  void if_needed(std::string_view /*piece*/, const std::function<void()>& /*actions*/) override {}
  void transpose(const exchange::TransposeExchange& /*exchange*/,
                 const exchange::ItemBuffer& /*from*/,
                 const exchange::ItemBuffer& /*to*/) override {}

 private:
  // A sum or a maximum of this number of 8-byte values over a team, or over all ranks.
  virtual void summed(std::string_view /*phase*/, std::size_t /*values*/,
                      const exchange::TeamPointer& /*team*/) {}
};

}  // namespace phasewise::workload
