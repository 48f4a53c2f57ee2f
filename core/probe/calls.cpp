#include "probe/calls.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <vector>

#include "comm/executor.hpp"
#include "exchange/pair_exchange.hpp"
#include "parallel/cache_line.hpp"
#include "parallel/clock.hpp"
#include "probe/agreed_starts.hpp"
#include "probe/copies.hpp"

namespace phasewise::probe {
namespace {

constexpr std::int64_t message_bytes = 8;  // B of a message
// B of a message that is longer than what libraries send within a header, and shorter than what
// they only announce.
constexpr std::int64_t short_bytes = 512;
constexpr int many = 64;  // messages at once
// Exchanges are timed several in a row, in several passes.
constexpr int call_passes = 60, least_passes = 9;
constexpr int calls_in_a_row = 100, least_in_a_row = 2;
constexpr double all_seconds = 0.5, pass_seconds = 5e-3;  // at most, but for the least in a row
constexpr std::int64_t bytes_of_pass = 1 << 24;           // per row of long messages
constexpr std::int64_t least_words = 2;                   // per message, apart from each other
constexpr double least_seconds = 1e-9;                    // for several messages
constexpr double least_word = 1e-12;                      // s
constexpr int most_of_stream = 16, least_of_stream = 2;   // messages one way
constexpr std::int64_t longest_of_stream = 1 << 24;       // B
constexpr std::int64_t bytes_of_stream = 1 << 26;         // at most; more than caches hold

constexpr int calls_from_start = 300, calls_to_warm_up = 20;

double seconds_now() { return parallel::clock().now(); }

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Times passes of several exchanges in a row, as many as fit into a pass, and returns the median
// over the passes of the time per exchange. There are fewer passes if they are long.
template <class F>
double seconds_of(const comm::Communicator& world, int most_in_a_row, F&& exchange) {
  world.barrier();
  const double before = seconds_now();
  for (int i = 0; i < least_in_a_row; ++i) exchange();
  double first[1] = {std::max((seconds_now() - before) / least_in_a_row, least_seconds)};
  world.max("probe", first);
  const double fitting = pass_seconds / first[0];
  const int in_a_row = fitting >= most_in_a_row
                           ? most_in_a_row
                           : std::max(least_in_a_row, static_cast<int>(fitting));
  const int passes =
      std::clamp(static_cast<int>(all_seconds / (in_a_row * first[0])), least_passes, call_passes);
  std::vector<double> seconds(passes);
  for (double& one : seconds) {
    world.barrier();
    const double start = seconds_now();
    for (int i = 0; i < in_a_row; ++i) exchange();
    one = (seconds_now() - start) / in_a_row;
  }
  return median_of(std::move(seconds));
}

// Times calls that all ranks enter at the same moment, as they do after they have computed equally
// long, and returns the median of the longest times of a rank.
template <class F>
double seconds_from_start(const comm::Communicator& world, F&& call) {
  const auto timed = [&] {
    const double before = seconds_now();
    call();
    return seconds_now() - before;
  };
  auto [start, window] = agree_on_starts(world, calls_to_warm_up, timed);
  std::vector<double> seconds(calls_from_start);
  for (double& one : seconds) {
    comm::wait_until(start - world.clock_offset());
    one = timed();
    start += window;
  }
  world.max("probe", seconds);
  return median_of(std::move(seconds));
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
    return seconds_of(world_, calls_in_a_row, [&] { both_ways(message_bytes); });
  }
  double bare_from_start(std::size_t bytes) {
    return seconds_from_start(world_, [&] { both_ways(bytes); });
  }

  // Times the library's largest of one value on both ranks.
  double collective_from_start() {
    const comm::Communicator pair = world_.split(takes_part_ ? 0 : 1);
    std::int64_t value[1] = {1};
    return seconds_from_start(world_, [&] {
      if (takes_part_) pair.agree(value);
    });
  }

  // Times messages from rank 0 to rank 1 by the protocol, followed by an answer.
  double one_way(exchange::Protocol protocol, const exchange::PairMessages& messages) {
    const auto exchange_of = [&](int sender, const exchange::PairMessages& sent) {
      const bool sends = world_.rank() == sender;
      return exchange::pair_exchange(team(), protocol, sent,
                                     {takes_part_ && sends, takes_part_ && !sends});
    };
    const exchange::ExchangePointer there = exchange_of(0, messages), back = exchange_of(1, {});
    executor_.prepare({there, back});
    return seconds_of(world_, passes_of(messages.number * messages.bytes), [&] {
      for (const exchange::ExchangePointer& exchange : {there, back}) run(exchange);
    });
  }

  // Times a message of 8 B by the protocol there and then back.
  double there_and_back(exchange::Protocol protocol) {
    const bool leads = world_.rank() == 0;
    const exchange::ExchangePointer exchange = exchange::pair_exchange(
        team(), protocol, {}, {takes_part_ && leads, takes_part_ && !leads, true});
    executor_.prepare({exchange});
    return seconds_of(world_, calls_in_a_row, [&] { run(exchange); });
  }

  // Times planned exchanges by the protocol. Data that came are sent next, since a program's
  // messages hold new data.
  double planned(exchange::Protocol protocol, exchange::PairMessages messages) {
    const auto exchange_of = [&](bool turned) {
      messages.turned = turned;
      return exchange::pair_exchange(team(), protocol, messages, {takes_part_, takes_part_});
    };
    const std::array exchanges{exchange_of(false), exchange_of(true)};
    executor_.prepare({exchanges[0], exchanges[1]});
    std::size_t number = 0;
    return seconds_of(world_, passes_of(messages.bytes), [&] { run(exchanges[++number % 2]); });
  }

  // Times messages of adjacent words in each row of a square, by the library's types.
  double strided(const Square& square, std::int64_t words) {
    const std::int64_t all = square.extent * square.stride();
    const LazyBytes array = lazy_bytes(all);
    const exchange::ExchangePointer exchange = exchange::pair_exchange(
        team(), exchange::Protocol::derived,
        {.bytes = message_bytes * words, .turned = false, .stride = square.stride()},
        {takes_part_, takes_part_});
    executor_.prepare({exchange});
    return seconds_of(world_, passes_of(all), [&] { run(exchange, {array.get(), all}); });
  }

 private:
  int peer() const { return 1 - world_.rank(); }

  void both_ways(std::size_t bytes) {
    if (!takes_part_) return;
    std::byte* out = memory_.data();
    world_.both_ways({out, bytes}, peer(), {out + memory_.size() / 2, bytes}, peer());
  }

  static int passes_of(std::int64_t bytes) {
    return static_cast<int>(std::clamp<std::int64_t>(bytes_of_pass / bytes, 2, calls_in_a_row));
  }

  void run(const exchange::ExchangePointer& exchange) {
    run(exchange, {memory_.data(), static_cast<std::int64_t>(memory_.size())});
  }
  void run(const exchange::ExchangePointer& exchange, const exchange::ItemBuffer& buffer) {
    flight_.start(executor_, [&](exchange::Works& works) {
      works.push_back({exchange::lent(exchange), buffer, buffer});
    });
    flight_.finish();
  }

  // A rank that takes no part forms a team with itself, without messages.
  exchange::TeamPointer team() const {
    const int me = world_.rank(), other = takes_part_ ? peer() : me;
    return exchange::team_of_pair(other, me, nodes_);
  }

  const comm::Communicator& world_;
  comm::Executor executor_;
  comm::Executor::Flight flight_;
  std::vector<int> nodes_;
  std::vector<std::byte> memory_;
  bool takes_part_;
};

bool usable(exchange::Protocol protocol) { return comm::unavailable(protocol).empty(); }

// Measures each kind of calls by one of its protocols.
void measure_messages(Pair& pair, CallCosts& costs) {
  using exchange::Protocol;
  for (const Protocol protocol : {Protocol::irecv_isend, Protocol::persistent, Protocol::derived,
                                  Protocol::put, Protocol::coarray, Protocol::shmem}) {
    if (!usable(protocol)) continue;
    const double one = pair.planned(protocol, {}), all = pair.planned(protocol, {.number = many});
    costs.message[static_cast<int>(overhead_of(protocol))] =
        std::max(all - one, 0.0) / (2.0 * (many - 1));
    if (protocol != Protocol::irecv_isend) continue;
    costs.round = std::max(one - pair.bare(), 0.0);
    costs.collective =
        std::max(pair.collective_from_start() - pair.bare_from_start(message_bytes), 0.0);
  }
}

// Both ranks gather what they send and scatter what arrives. Two words cost hardly more than one
// end of a message.
void measure_types(Pair& pair, CallCosts& costs) {
  const auto longer = [&](const Square& square, std::int64_t words) {
    const double contiguous =
        pair.planned(exchange::Protocol::derived, {.bytes = message_bytes * words});
    return 0.5 * (pair.strided(square, words) - contiguous);
  };
  const std::vector<Square> all = squares();
  costs.types_message = std::max(longer(all.front(), least_words), 0.0);
  for (const Square& square : all) {
    const double words = longer(square, square.extent) - costs.types_message;
    costs.types_word.push_back(std::max(words / static_cast<double>(square.extent), least_word));
  }
}

// The time of each further message of a stream.
std::vector<double> further_seconds(Pair& pair, exchange::Protocol protocol) {
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

// Increasing from the shortest message; they are closer together where a stream may outgrow the
// caches.
std::vector<std::int64_t> stream_sizes() {
  std::vector<std::int64_t> sizes{message_bytes};
  for (std::int64_t size = 64; size <= longest_of_stream; size *= size < (1 << 16) ? 4 : 2)
    sizes.push_back(size);
  return sizes;
}

double measure_bare_exchange(const comm::Communicator& world, comm::Recorder& recorder) {
  return world.size() < 2 ? 0.0 : Pair(world, recorder, short_bytes).bare_from_start(short_bytes);
}

Exchanges measure_exchanges(const comm::Communicator& world, comm::Recorder& recorder) {
  Exchanges found;
  if (world.size() < 2) return found;
  Pair pair(world, recorder, message_bytes);
  for (int number = 0; number < exchange::protocols; ++number)
    if (const auto protocol = static_cast<exchange::Protocol>(number); usable(protocol)) {
      found.exchange[number] = pair.planned(protocol, {});
      found.echo[number] = pair.there_and_back(protocol);
    }
  return found;
}

CallCosts measure_calls(const comm::Communicator& world, comm::Recorder& recorder,
                        std::span<const double> copies) {
  CallCosts costs;
  if (world.size() < 2) return costs;
  const std::vector<std::int64_t> sizes = block_sizes();
  Pair pair(world, recorder, bytes_of_stream);
  measure_messages(pair, costs);
  measure_types(pair, costs);
  if (!usable(exchange::Protocol::put)) return costs;
  const double least = pair.planned(exchange::Protocol::put, {});
  for (std::size_t i = 0; i < sizes.size(); ++i)
    costs.puts.push_back(std::max(
        pair.planned(exchange::Protocol::put, {.bytes = sizes[i]}) - least - copies[i], copies[i]));
  costs.stream_messages = further_seconds(pair, exchange::Protocol::irecv_isend);
  costs.stream_puts = further_seconds(pair, exchange::Protocol::fence);
  return costs;
}

}  // namespace phasewise::probe
