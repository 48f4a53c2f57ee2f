// The listener that runs the turn: it runs kernels, and sends messages through core/comm, on a real
// or a simulated machine. In a skeleton run it charges the kernels' time instead.
#pragma once

#include <array>
#include <memory>

#include "comm/collective.hpp"
#include "comm/requests.hpp"
#include "workload/listener.hpp"
#include "workload/session.hpp"

namespace phasewise::workload {

class Live : public Listener {
 public:
  explicit Live(Session& session) : session_(session) {}
  // Collective: the turn will post messages and start collectives without contents.
  void expect_requests();

  void kernel(const parallel::KernelCard& card, double items,
              const std::function<void()>& work) override;
  void sum(std::string_view phase, std::span<double> values,
           const exchange::TeamPointer& team) override;
  void sum(std::string_view phase, std::span<std::int64_t> values,
           const exchange::TeamPointer& team) override;
  void max(std::string_view phase, std::span<double> values,
           const exchange::TeamPointer& team) override;
  void start(exchange::Channel channel, const Exchanges& exchanges) override;
  void start_collective(const exchange::Collective& collective, const std::byte* from,
                        std::byte* to) override;
  void compute(std::string_view name, double seconds) override;
  void post(const exchange::PostedMessage& message) override;
  void wait(std::string_view phase, std::span<const int> requests) override;
  void progress(exchange::Channel channel) override;
  void finish(exchange::Channel channel) override;
  void if_needed(std::string_view /*piece*/, const std::function<void()>& actions) override {
    actions();
  }
  void transpose(const exchange::TransposeExchange& exchange, const exchange::ItemBuffer& from,
                 const exchange::ItemBuffer& to) override;

 private:
  const comm::Communicator& among(const exchange::TeamPointer& team) const;

  Session& session_;
  std::array<comm::Executor::Flight, exchange::channels> under_way_;
  std::array<comm::PendingCollective, exchange::channels> collectives_;
  comm::SkeletonMemory memory_;               // for collectives without contents
  std::unique_ptr<comm::Requests> requests_;  // null unless the turn posts messages by itself
};

}  // namespace phasewise::workload
