#include "probe/pattern.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>

#include "comm/communicator.hpp"
#include "comm/message_buffer.hpp"
#include "parallel/clock.hpp"
#include "probe/agreed_starts.hpp"
#include "probe/rates.hpp"

namespace phasewise::probe {
namespace {

constexpr double absent = -1e300;        // value of a rank that takes no part: never the largest
constexpr int values_of_repetition = 4;  // seconds, latest and earliest start, missed

double now() { return parallel::clock().now(); }

// What a rank sends, and where it receives. Data that came last are sent next, since a program's
// messages hold new data, which are not yet in the receiver's cache.
class Buffers {
 public:
  explicit Buffers(std::int64_t largest)
      : largest_(std::max<std::int64_t>(largest, 1)),
        memory_(static_cast<std::byte*>(comm::allocate_message_buffer(2 * largest_)),
                &comm::free_message_buffer) {
    if (!comm::simulated()) std::fill_n(memory_.get(), 2 * largest_, std::byte{1});
  }
  std::span<std::byte> out(std::int64_t size) const { return part(size, turned_); }
  std::span<std::byte> in(std::int64_t size) const { return part(size, !turned_); }
  void turn() { turned_ = !turned_; }

 private:
  std::span<std::byte> part(std::int64_t size, bool second) const {
    return {memory_.get() + (second ? largest_ : 0), static_cast<std::size_t>(size)};
  }
  std::int64_t largest_;
  bool turned_ = false;
  std::unique_ptr<std::byte, void (*)(void*)> memory_;
};

struct Item {
  int pattern;
  std::int64_t size;         // B
  std::size_t first, count;  // its repetitions among those of all
};

class Prober {
 public:
  Prober(const Script& script, const comm::Communicator& world)
      : script_(script), world_(world), buffers_(largest(script)) {
    for (const Pattern& pattern : script.patterns) check(pattern);
  }

  void measure() {
    next_start_ = agreed(now() + world_.clock_offset()) + script_.window;
    for (Item& item : items_in_random_order()) {
      measure(item);
      items_.push_back(item);
    }
    if (!values_.empty()) world_.max("probe", values_);
  }

  void write(std::ofstream& file) const {
    for (const Item& item : items_) {
      file << "{\"pattern\": " << item.pattern << ", \"bytes\": " << item.size;
      write_column(file, "seconds", item, [](const double* v) { return v[0]; });
      write_column(file, "skew", item, [](const double* v) { return v[1] + v[2]; });
      write_column(file, "missed", item, [](const double* v) { return v[3]; });
      file << "}\n";
    }
  }

 private:
  static std::int64_t largest(const Script& script) {
    std::int64_t size = 0;
    for (const Pattern& pattern : script.patterns)
      for (const std::int64_t s : pattern.sizes) size = std::max(size, s);
    return size;
  }

  void check(const Pattern& pattern) const {
    const auto ranks = static_cast<std::size_t>(world_.size());
    if (pattern.to.size() != ranks || pattern.from.size() != ranks)
      throw std::invalid_argument("a pattern of the probe has " +
                                  std::to_string(pattern.to.size()) + " ranks, and the run " +
                                  std::to_string(ranks));
    for (int rank = 0; rank < world_.size(); ++rank) check_partners(pattern, rank);
    for (const std::int64_t size : pattern.sizes)
      if (size < 0 || size > 1 << 30)
        throw std::invalid_argument("a message of the probe has " + std::to_string(size) +
                                    " bytes");
  }

  // No rank may wait for a message that nobody sends.
  void check_partners(const Pattern& pattern, int rank) const {
    const int to = pattern.to[rank], from = pattern.from[rank];
    if (!known(to, rank) || (to >= 0 && pattern.from[to] != rank))
      throw std::invalid_argument("a pattern of the probe sends to rank " + std::to_string(to) +
                                  ", which does not expect rank " + std::to_string(rank));
    if (!known(from, rank) || (from >= 0 && pattern.to[from] != rank))
      throw std::invalid_argument("in a pattern of the probe rank " + std::to_string(rank) +
                                  " expects rank " + std::to_string(from) +
                                  ", which does not send to it");
    if (pattern.kind == Kind::bounce && to != from)
      throw std::invalid_argument("in a pattern of the probe rank " + std::to_string(rank) +
                                  " bounces to rank " + std::to_string(to) + " and from rank " +
                                  std::to_string(from));
  }

  // -1 stands for nobody.
  bool known(int other, int rank) const {
    return other >= -1 && other < world_.size() && other != rank;
  }

  // The order is the same on all ranks.
  std::vector<Item> items_in_random_order() const {
    std::vector<Item> items;
    for (std::size_t i = 0; i < script_.patterns.size(); ++i)
      for (const std::int64_t size : script_.patterns[i].sizes)
        items.push_back({static_cast<int>(i), size, 0, 0});
    std::mt19937_64 random(script_.seed);
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
    return items;
  }

  double agreed(double value) const {
    double values[1] = {value};
    world_.max("probe", values);
    return values[0];
  }

  void measure(Item& item) {
    double window = script_.window + script_.window_per_byte * static_cast<double>(item.size);
    item.first = values_.size() / values_of_repetition;
    item.count = static_cast<std::size_t>(script_.max_repetitions);
    if (script_.warm_up > 0) {
      window = warm_up(item);
      const double fitting =
          std::min(script_.seconds / window, static_cast<double>(script_.max_repetitions));
      item.count =
          static_cast<std::size_t>(std::max(fitting, static_cast<double>(script_.min_repetitions)));
    }
    for (std::size_t k = 0; k < item.count; ++k, next_start_ += window) repeat(item);
  }

  // Sets the first start, and returns the time from one start to the next.
  double warm_up(const Item& item) {
    const AgreedStarts starts = agree_on_starts(world_, script_.warm_up, [&] {
      const comm::Span span = exchange(item);
      return span.end - span.start;
    });
    next_start_ = starts.first;
    return starts.window;
  }

  bool takes_part(const Pattern& pattern) const {
    return pattern.to[world_.rank()] >= 0 || pattern.from[world_.rank()] >= 0;
  }

  comm::Span exchange(const Item& item) {
    const Pattern& pattern = script_.patterns[item.pattern];
    if (!takes_part(pattern)) return {};
    const int to = pattern.to[world_.rank()], from = pattern.from[world_.rank()];
    if (pattern.kind == Kind::bounce)
      return world_.round_trip(buffers_.out(item.size), to, world_.rank() < to);
    buffers_.turn();
    return world_.both_ways(buffers_.out(item.size), to, buffers_.in(item.size), from);
  }

  void repeat(const Item& item) {
    const Pattern& pattern = script_.patterns[item.pattern];
    if (!takes_part(pattern)) {
      values_.insert(values_.end(), {0.0, absent, absent, 0.0});
      return;
    }
    const bool in_time = comm::wait_until(next_start_ - world_.clock_offset());
    const comm::Span span = exchange(item);
    const double late = span.start + world_.clock_offset() - next_start_;
    values_.insert(values_.end(), {seconds(pattern, span), late, -late, in_time ? 0.0 : 1.0});
  }

  // Only the rank that sends first times the round trip, since the other rank's time includes its
  // wait for the first message.
  double seconds(const Pattern& pattern, const comm::Span& span) const {
    if (pattern.kind == Kind::exchange) return span.end - span.start;
    return world_.rank() < pattern.to[world_.rank()] ? 0.5 * (span.end - span.start) : 0.0;
  }

  template <class F>
  void write_column(std::ofstream& file, const char* name, const Item& item, F&& value) const {
    file << ", \"" << name << "\": [";
    for (std::size_t k = 0; k < item.count; ++k) {
      char text[32];
      std::snprintf(text, sizeof text, "%.9g",
                    value(values_.data() + values_of_repetition * (item.first + k)));
      file << (k > 0 ? ", " : "") << text;
    }
    file << ']';
  }

  const Script& script_;
  const comm::Communicator& world_;
  Buffers buffers_;
  double next_start_ = 0.0;  // s, rank 0's clock
  std::vector<Item> items_;
  std::vector<double> values_;  // [repetition][4]
};

void write_nodes(std::ofstream& file, const std::vector<int>& nodes) {
  file << "{\"nodes\": [";
  for (std::size_t r = 0; r < nodes.size(); ++r) file << (r > 0 ? ", " : "") << nodes[r];
  file << "]}\n";
}

}  // namespace

void measure_patterns(const Script& script, const std::string& out) {
  comm::Recorder recorder;
  const comm::Communicator world = comm::Communicator::world(recorder);
  Prober prober(script, world);
  const std::vector<int> nodes = world.nodes();
  Rates rates;
  if (script.roof) rates = measure_rates(world, recorder);
  Exchanges exchanges;
  if (script.exchanges) exchanges = measure_exchanges(world, recorder);
  const double bare = script.bare ? measure_bare_exchange(world, recorder) : 0.0;
  prober.measure();
  if (world.rank() > 0) return;
  const std::string path = out + "/samples.jsonl";
  std::ofstream file(path);
  write_nodes(file, nodes);
  if (script.roof) write_rates(file, rates);
  if (script.exchanges) write_exchanges(file, exchanges);
  if (script.bare) file << "{\"bare\": " << bare << "}\n";
  prober.write(file);
  file.close();
  if (!file) throw std::runtime_error("cannot write to " + path + ": " + std::strerror(errno));
}

}  // namespace phasewise::probe
