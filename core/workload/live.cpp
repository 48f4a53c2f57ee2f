#include "workload/live.hpp"

#include <algorithm>
#include <numeric>

namespace phasewise::workload {

void Live::kernel(const parallel::KernelCard& card, double items,
                  const std::function<void()>& work) {
  session_.kernels.run(card, items, [&] {
    if (!session_.skeleton) work();
  });
}

const comm::Communicator& Live::among(const exchange::TeamPointer& team) const {
  return team ? session_.executor->among(*team) : session_.world;
}

void Live::sum(std::string_view phase, std::span<double> values,
               const exchange::TeamPointer& team) {
  among(team).sum(phase, values);
}
void Live::sum(std::string_view phase, std::span<std::int64_t> values,
               const exchange::TeamPointer& team) {
  among(team).sum(phase, values);
}
void Live::max(std::string_view phase, std::span<double> values,
               const exchange::TeamPointer& team) {
  among(team).max(phase, values);
}

void Live::start(exchange::Channel channel, const Exchanges& exchanges) {
  under_way_[static_cast<int>(channel)].start(*session_.executor, exchanges);
}
void Live::start_collective(const exchange::Collective& collective, const std::byte* from,
                            std::byte* to) {
  if (requests_ != nullptr) return requests_->start(among(collective.team), collective);
  if (session_.skeleton) {
    const auto received =
        std::accumulate(collective.receives.begin(), collective.receives.end(), std::int64_t{0});
    to = memory_.at_least(std::max(collective.total_bytes(), received));
    from = to;
  }
  collectives_[static_cast<int>(collective.channel)] =
      comm::PendingCollective::start(among(collective.team), collective, from, to);
}

void Live::expect_requests() { requests_ = std::make_unique<comm::Requests>(session_.world); }

// On a real machine the rank is busy for as long.
void Live::compute(std::string_view name, double seconds) {
  const double start = parallel::clock().now();
  if (comm::simulated()) {
    if (session_.charges) comm::pass(session_.kernels.slowness() * seconds);
  } else {
    while (parallel::clock().now() - start < seconds) continue;
  }
  session_.recorder.computed(session_.recorder.phase(name), start, parallel::clock().now());
}

void Live::post(const exchange::PostedMessage& message) { requests_->post(message); }

void Live::wait(std::string_view phase, std::span<const int> requests) {
  requests_->wait(phase, requests);
}

void Live::progress(exchange::Channel channel) {
  under_way_[static_cast<int>(channel)].progress();
  collectives_[static_cast<int>(channel)].test();
}
void Live::finish(exchange::Channel channel) {
  under_way_[static_cast<int>(channel)].finish();
  collectives_[static_cast<int>(channel)].wait();
}

void Live::transpose(const exchange::TransposeExchange& exchange, const exchange::ItemBuffer& from,
                     const exchange::ItemBuffer& to) {
  session_.executor->transpose(exchange, from, to);
}

}  // namespace phasewise::workload
