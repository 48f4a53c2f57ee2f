#include "probe/calls.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "comm/executor.hpp"
#include "parallel/clock.hpp"

namespace phasewise::probe {
namespace {

constexpr std::int64_t message_bytes = 8;              // B of a message
constexpr int many = 64;                               // messages at once
constexpr int call_passes = 60, calls_in_a_row = 100;  // exchanges are timed in a row
constexpr std::int64_t line = 64;                      // B between messages

double seconds_now() { return parallel::clock().now(); }

// The median over the call_passes of the time of one of some exchanges in a row.
template <class F>
double seconds_of(const comm::Communicator& world, F&& exchange) {
  std::vector<double> seconds(call_passes);
  for (double& one : seconds) {
    world.barrier();
    const double start = seconds_now();
    for (int i = 0; i < calls_in_a_row; ++i) exchange();
    one = (seconds_now() - start) / calls_in_a_row;
  }
  std::ranges::nth_element(seconds, seconds.begin() + call_passes / 2);
  return seconds[call_passes / 2];
}

class Pair {
 public:
  Pair(const comm::Communicator& world, comm::Recorder& recorder)
      : world_(world),
        executor_(world, recorder, {}),
        nodes_(world.nodes()),
        memory_(2 * many * line, std::byte{1}),
        takes_part_(world.rank() < 2) {}

  double bare() {
    std::byte* data = memory_.data();
    return seconds_of(world_, [&] {
      if (takes_part_)
        world_.both_ways({data, message_bytes}, peer(), {data + line, message_bytes}, peer());
    });
  }

  // Messages each way at once, by the protocol.
  double planned(comm::Protocol protocol, int messages) {
    const comm::ExchangePointer exchange = exchange_of(protocol, messages);
    executor_.prepare({exchange});
    const comm::ItemBuffer buffer(memory_.data(), static_cast<std::int64_t>(memory_.size()));
    comm::Executor::Flight flight;
    return seconds_of(world_, [&] {
      flight.start(executor_, [&](comm::Works& works) {
        works.push_back({comm::lent(exchange), buffer, buffer});
      });
      flight.finish();
    });
  }

 private:
  int peer() const { return 1 - world_.rank(); }

  // A rank that takes no part has the exchange without messages.
  comm::ExchangePointer exchange_of(comm::Protocol protocol, int messages) const {
    comm::Exchange exchange;
    exchange.phase = "probe";
    exchange.protocol = protocol;
    const int me = world_.rank(), other = takes_part_ ? peer() : me;
    exchange.team = std::make_shared<comm::Team>(
        comm::Team{.ranks = {other, me}, .me = 1, .nodes = {nodes_[other], nodes_[me]}});
    comm::Round round;
    const auto item = std::make_shared<const std::vector<int>>(1, 0);
    exchange.items = {item};
    for (int message = 0; message < messages && takes_part_; ++message) {
      round.sends.push_back({0, {2 * message}});
      round.receives.push_back({0, {2 * message + 1}});
    }
    for (int chunk = 0; chunk < 2 * messages; ++chunk)
      exchange.blocks.push_back(
          {item.get(), {.offset = chunk * line, .run = message_bytes, .repeats = nullptr}});
    exchange.rounds = std::make_shared<const comm::Rounds>(comm::Rounds{round});
    return std::make_shared<const comm::Exchange>(std::move(exchange));
  }

  const comm::Communicator& world_;
  comm::Executor executor_;
  std::vector<int> nodes_;
  std::vector<std::byte> memory_;
  bool takes_part_;
};

}  // namespace

CallCosts measure_calls(const comm::Communicator& world, comm::Recorder& recorder) {
  using comm::Protocol;
  CallCosts costs;
  if (world.size() < 2) return costs;
  Pair pair(world, recorder);
  for (const Protocol protocol :
       {Protocol::irecv_isend, Protocol::persistent, Protocol::derived, Protocol::put}) {
    if (!comm::unavailable(protocol).empty()) continue;
    const double one = pair.planned(protocol, 1), all = pair.planned(protocol, many);
    costs.message[static_cast<int>(overhead_of(protocol))] =
        std::max(all - one, 0.0) / (2.0 * (many - 1));
    if (protocol == Protocol::irecv_isend) costs.round = std::max(one - pair.bare(), 0.0);
  }
  return costs;
}

}  // namespace phasewise::probe
