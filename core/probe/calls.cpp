#include "probe/calls.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <vector>

#include "comm/executor.hpp"
#include "comm/pair_exchange.hpp"
#include "parallel/cache_line.hpp"
#include "parallel/clock.hpp"
#include "probe/copies.hpp"

namespace phasewise::probe {
namespace {

constexpr std::int64_t message_bytes = 8;              // B of a message
constexpr int many = 64;                               // messages at once
constexpr int call_passes = 60, calls_in_a_row = 100;  // exchanges are timed in a row
constexpr std::int64_t bytes_of_pass = 1 << 24;        // in a row, of long messages

double seconds_now() { return parallel::clock().now(); }

// The median over the call_passes of the time of one of some exchanges in a row.
template <class F>
double seconds_of(const comm::Communicator& world, int in_a_row, F&& exchange) {
  std::vector<double> seconds(call_passes);
  for (double& one : seconds) {
    world.barrier();
    const double start = seconds_now();
    for (int i = 0; i < in_a_row; ++i) exchange();
    one = (seconds_now() - start) / in_a_row;
  }
  std::ranges::nth_element(seconds, seconds.begin() + call_passes / 2);
  return seconds[call_passes / 2];
}

class Pair {
 public:
  Pair(const comm::Communicator& world, comm::Recorder& recorder, std::int64_t largest)
      : world_(world),
        executor_(world, recorder, {}),
        nodes_(world.nodes()),
        memory_(2 * std::max<std::int64_t>(many * parallel::cache_line, largest), std::byte{1}),
        takes_part_(world.rank() < 2) {}

  double bare() {
    std::byte* data = memory_.data();
    return seconds_of(world_, calls_in_a_row, [&] {
      if (takes_part_)
        world_.both_ways({data, message_bytes}, peer(),
                         {data + parallel::cache_line, message_bytes}, peer());
    });
  }

  // By the protocol. What came is sent next, since the data of a program's messages are new.
  double planned(comm::Protocol protocol, comm::PairMessages messages) {
    const auto exchange_of = [&](bool turned) {
      messages.turned = turned;
      return comm::pair_exchange(team(), protocol, messages, takes_part_);
    };
    const std::array exchanges{exchange_of(false), exchange_of(true)};
    executor_.prepare({exchanges[0], exchanges[1]});
    const comm::ItemBuffer buffer(memory_.data(), static_cast<std::int64_t>(memory_.size()));
    comm::Executor::Flight flight;
    std::size_t number = 0;
    const auto in_a_row = static_cast<int>(
        std::clamp<std::int64_t>(bytes_of_pass / messages.bytes, 2, calls_in_a_row));
    return seconds_of(world_, in_a_row, [&] {
      const comm::ExchangePointer& exchange = exchanges[++number % 2];
      flight.start(executor_, [&](comm::Works& works) {
        works.push_back({comm::lent(exchange), buffer, buffer});
      });
      flight.finish();
    });
  }

 private:
  int peer() const { return 1 - world_.rank(); }

  // A rank that takes no part is in a team with itself, without messages.
  comm::TeamPointer team() const {
    const int me = world_.rank(), other = takes_part_ ? peer() : me;
    return std::make_shared<comm::Team>(
        comm::Team{.ranks = {other, me}, .me = 1, .nodes = {nodes_[other], nodes_[me]}});
  }

  const comm::Communicator& world_;
  comm::Executor executor_;
  std::vector<int> nodes_;
  std::vector<std::byte> memory_;
  bool takes_part_;
};

bool usable(comm::Protocol protocol) { return comm::unavailable(protocol).empty(); }

// Of the kinds of calls; those of one kind are measured by one of their protocols.
void measure_messages(Pair& pair, CallCosts& costs) {
  using comm::Protocol;
  for (const Protocol protocol : {Protocol::irecv_isend, Protocol::persistent, Protocol::derived,
                                  Protocol::put, Protocol::coarray, Protocol::shmem}) {
    if (!usable(protocol)) continue;
    const double one = pair.planned(protocol, {}), all = pair.planned(protocol, {.number = many});
    costs.message[static_cast<int>(overhead_of(protocol))] =
        std::max(all - one, 0.0) / (2.0 * (many - 1));
    if (protocol == Protocol::irecv_isend) costs.round = std::max(one - pair.bare(), 0.0);
  }
}

}  // namespace

CallCosts measure_calls(const comm::Communicator& world, comm::Recorder& recorder,
                        std::span<const double> copies) {
  CallCosts costs;
  if (world.size() < 2) return costs;
  const std::vector<std::int64_t> sizes = block_sizes();
  Pair pair(world, recorder, sizes.back());
  measure_messages(pair, costs);
  for (int number = 0; number < comm::protocols; ++number)
    if (const auto protocol = static_cast<comm::Protocol>(number); usable(protocol))
      costs.exchange[number] = pair.planned(protocol, {});
  if (!usable(comm::Protocol::put)) return costs;
  const double least = pair.planned(comm::Protocol::put, {});
  for (std::size_t i = 0; i < sizes.size(); ++i)
    costs.puts.push_back(std::max(
        pair.planned(comm::Protocol::put, {.bytes = sizes[i]}) - least - copies[i], copies[i]));
  return costs;
}

}  // namespace phasewise::probe
