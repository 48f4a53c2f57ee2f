#include "contention/loads.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace phasewise::contention {
namespace {

// The last place below, and how far between it and the next; beyond the ends their line goes on.
struct Place {
  std::size_t below;
  double part;
};
Place place_in(const std::vector<double>& values, double value) {
  if (values.size() < 2) return {0, 0.0};
  const auto above = std::upper_bound(values.begin() + 1, values.end() - 1, value);
  const auto below = static_cast<std::size_t>(above - values.begin()) - 1;
  return {below, (value - values[below]) / (values[below + 1] - values[below])};
}

double between(double a, double b, double part) { return a + (b - a) * part; }

// How many messages are on each link.
class Traffic {
 public:
  explicit Traffic(const Network& network)
      : network_(network), count_(network.capacities().size(), 0) {}

  void add(const Route& route, int messages) {
    for (const int link : route.links) count_[link] += messages;
  }
  // In units of what the place that messages between these two share first can carry.
  double load(const Route& route, int from, int to) const {
    const double reference = network_.reference_capacity(from, to);
    double most = 1.0;
    for (const int link : route.links)
      most = std::max(most, count_[link] * reference / network_.capacities()[link]);
    return most;
  }

 private:
  const Network& network_;
  std::vector<int> count_;
};

class Timed : public Walk {
 public:
  Timed(const Program& program, const Network& network, const LoadTables& tables)
      : Walk(program, tables.eager), network_(network), tables_(tables), traffic_(network) {}

  Execution run() {
    begin();
    for (set_off(); !ending_.empty(); set_off()) {
      // What ends at the same time sets off together what comes next.
      const double now = ending_.top().first;
      while (!ending_.empty() && ending_.top().first <= now * (1.0 + same_time)) {
        const auto [time, index] = ending_.top();
        ending_.pop();
        traffic_.add(under_way_[index].route, -1);
        free_.push_back(index);
        arrive(under_way_[index].departure.id, time);
      }
    }
    return finish();
  }

 private:
  // Times that differ by rounding errors.
  static constexpr double same_time = 1e-12;
  struct Message {
    Departure departure;
    double start;
    Route route;
  };
  using Event = std::pair<double, int>;  // time, of under_way_

  void launch(const Departure& departure, double now) override {
    int index = static_cast<int>(under_way_.size());
    if (free_.empty()) {
      under_way_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    Message& message = under_way_[index];
    message.departure = departure;
    message.start = now;
    network_.find_route(departure.from, departure.to, message.route);
    traffic_.add(message.route, 1);
    departing_.push_back(index);
  }

  // All that depart at once see each other.
  void set_off() {
    for (const int index : departing_) {
      const Message& message = under_way_[index];
      const auto& [id, from, to, bytes] = message.departure;
      const bool inside = network_.node_of(from) == network_.node_of(to);
      const LoadTable& table = inside ? tables_.within : tables_.between;
      ending_.emplace(message.start + table.at(static_cast<double>(bytes),
                                               traffic_.load(message.route, from, to)),
                      index);
    }
    departing_.clear();
  }

  const Network& network_;
  const LoadTables& tables_;
  Traffic traffic_;
  std::vector<Message> under_way_;
  std::vector<int> free_, departing_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> ending_;
};

}  // namespace

double LoadTable::at(double size, double load) const {
  const Place row = place_in(loads, load), column = place_in(sizes, size);
  const auto along = [&](const std::vector<double>& times) {
    return times.size() < 2 ? times[0]
                            : between(times[column.below], times[column.below + 1], column.part);
  };
  if (seconds.size() < 2) return along(seconds[0]) * std::max(1.0, load / loads[0]);
  return std::max(between(along(seconds[row.below]), along(seconds[row.below + 1]), row.part), 0.0);
}

Execution execute(const Program& program, const Network& network, const LoadTables& tables) {
  return Timed(program, network, tables).run();
}

std::vector<double> loads_of(const std::vector<int>& to, const Network& network) {
  Traffic traffic(network);
  std::vector<Route> routes(to.size());
  for (int rank = 0; rank < std::ssize(to); ++rank)
    if (to[rank] >= 0) {
      network.find_route(rank, to[rank], routes[rank]);
      traffic.add(routes[rank], 1);
    }
  std::vector<double> loads(to.size(), 0.0);
  for (int rank = 0; rank < std::ssize(to); ++rank)
    if (to[rank] >= 0) loads[rank] = traffic.load(routes[rank], rank, to[rank]);
  return loads;
}

}  // namespace phasewise::contention
