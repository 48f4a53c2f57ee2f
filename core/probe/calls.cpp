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

constexpr std::int64_t message_bytes = 8;                // B of a message
constexpr int many = 64;                                 // messages at once
constexpr int call_passes = 60, calls_in_a_row = 100;    // exchanges are timed in a row
constexpr std::int64_t bytes_of_pass = 1 << 24;          // in a row, of long messages
constexpr double least_seconds = 1e-9;                   // of several messages
constexpr int most_of_stream = 16, least_of_stream = 2;  // messages one way
constexpr std::int64_t bytes_of_stream = 1 << 22;        // at most, beyond a core's own caches
constexpr int stream_passes = 7, streams_in_a_row = 4;

double seconds_now() { return parallel::clock().now(); }

// The median over the passes of the time of one of some exchanges in a row.
template <class F>
double seconds_of(const comm::Communicator& world, int in_a_row, F&& exchange,
                  int passes = call_passes) {
  std::vector<double> seconds(passes);
  for (double& one : seconds) {
    world.barrier();
    const double start = seconds_now();
    for (int i = 0; i < in_a_row; ++i) exchange();
    one = (seconds_now() - start) / in_a_row;
  }
  std::ranges::nth_element(seconds, seconds.begin() + passes / 2);
  return seconds[passes / 2];
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

  // Messages from rank 0 to rank 1 by the protocol, and an answer.
  double one_way(comm::Protocol protocol, const comm::PairMessages& messages) {
    const auto exchange_of = [&](int sender, const comm::PairMessages& sent) {
      const bool sends = world_.rank() == sender;
      return comm::pair_exchange(team(), protocol, sent,
                                 {takes_part_ && sends, takes_part_ && !sends});
    };
    const comm::ExchangePointer there = exchange_of(0, messages), back = exchange_of(1, {});
    executor_.prepare({there, back});
    const auto once = [&] {
      for (const comm::ExchangePointer& exchange : {there, back}) run(exchange);
    };
    return seconds_of(world_, streams_in_a_row, once, stream_passes);
  }

  // By the protocol. What came is sent next, since the data of a program's messages are new.
  double planned(comm::Protocol protocol, comm::PairMessages messages) {
    const auto exchange_of = [&](bool turned) {
      messages.turned = turned;
      return comm::pair_exchange(team(), protocol, messages, {takes_part_, takes_part_});
    };
    const std::array exchanges{exchange_of(false), exchange_of(true)};
    executor_.prepare({exchanges[0], exchanges[1]});
    std::size_t number = 0;
    return seconds_of(world_, passes_of(messages.bytes), [&] { run(exchanges[++number % 2]); });
  }

 private:
  int peer() const { return 1 - world_.rank(); }

  static int passes_of(std::int64_t bytes) {
    return static_cast<int>(std::clamp<std::int64_t>(bytes_of_pass / bytes, 2, calls_in_a_row));
  }

  void run(const comm::ExchangePointer& exchange) {
    const comm::ItemBuffer buffer(memory_.data(), static_cast<std::int64_t>(memory_.size()));
    flight_.start(executor_, [&](comm::Works& works) {
      works.push_back({comm::lent(exchange), buffer, buffer});
    });
    flight_.finish();
  }

  // A rank that takes no part is in a team with itself, without messages.
  comm::TeamPointer team() const {
    const int me = world_.rank(), other = takes_part_ ? peer() : me;
    return std::make_shared<comm::Team>(
        comm::Team{.ranks = {other, me}, .me = 1, .nodes = {nodes_[other], nodes_[me]}});
  }

  const comm::Communicator& world_;
  comm::Executor executor_;
  comm::Executor::Flight flight_;
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

// What a message behind others takes.
std::vector<double> further_seconds(Pair& pair, comm::Protocol protocol) {
  std::vector<double> seconds;
  for (const std::int64_t size : stream_sizes()) {
    const auto number = static_cast<int>(
        std::clamp<std::int64_t>(bytes_of_stream / size, least_of_stream, most_of_stream));
    const double one = pair.one_way(protocol, {.bytes = size});
    const double all = pair.one_way(protocol, {.number = number, .bytes = size});
    seconds.push_back(std::max(all - one, least_seconds) / (number - 1));
  }
  return seconds;
}

}  // namespace

// From the shortest message on; closer together where a stream may outgrow the caches.
std::vector<std::int64_t> stream_sizes() {
  std::vector<std::int64_t> sizes{message_bytes};
  for (std::int64_t size = 64; 2 * size <= bytes_of_stream; size *= size < (1 << 18) ? 4 : 2)
    sizes.push_back(size);
  return sizes;
}

CallCosts measure_calls(const comm::Communicator& world, comm::Recorder& recorder,
                        std::span<const double> copies) {
  CallCosts costs;
  if (world.size() < 2) return costs;
  const std::vector<std::int64_t> sizes = block_sizes();
  Pair pair(world, recorder, std::max(sizes.back(), bytes_of_stream));
  measure_messages(pair, costs);
  for (int number = 0; number < comm::protocols; ++number)
    if (const auto protocol = static_cast<comm::Protocol>(number); usable(protocol))
      costs.exchange[number] = pair.planned(protocol, {});
  if (!usable(comm::Protocol::put)) return costs;
  const double least = pair.planned(comm::Protocol::put, {});
  for (std::size_t i = 0; i < sizes.size(); ++i)
    costs.puts.push_back(std::max(
        pair.planned(comm::Protocol::put, {.bytes = sizes[i]}) - least - copies[i], copies[i]));
  costs.stream_messages = further_seconds(pair, comm::Protocol::irecv_isend);
  costs.stream_puts = further_seconds(pair, comm::Protocol::fence);
  return costs;
}

}  // namespace phasewise::probe
