#include "contention/loads.hpp"

#include <algorithm>
#include <limits>
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

// What the messages under way leave of each link. A message gets its part of the narrowest link of
// its way, and a part of what others there cannot use because they are held up elsewhere: one step
// of max-min sharing, at the moment when it sets off.
class Traffic {
 public:
  explicit Traffic(const Network& network)
      : capacity_(network.capacities()), links_(network.capacities().size()) {}

  struct Share {
    int narrowest = -1;
    double part = 0.0;  // of that link [B/s]
  };
  void enter(const Route& route) {
    for (const int link : route.links) ++links_[link].messages;
  }
  // Once all that set off together have entered.
  Share settle(const Route& route) {
    Share share;
    for (const int link : route.links) {
      const double part = capacity_[link] / links_[link].messages;
      if (share.narrowest < 0 || part < share.part) share = {link, part};
    }
    if (share.narrowest >= 0) ++links_[share.narrowest].held_up;
    for (const int link : route.links) links_[link].taken += share.part;
    return share;
  }
  void leave(const Route& route, const Share& share) {
    if (share.narrowest >= 0) --links_[share.narrowest].held_up;
    for (const int link : route.links) {
      --links_[link].messages;
      links_[link].taken -= share.part;
    }
  }
  // Once all that set off together have settled [B/s].
  double rate(const Route& route) const {
    double least = std::numeric_limits<double>::infinity();
    for (const int link : route.links) {
      const Link& of = links_[link];
      const double unused = std::max(capacity_[link] - of.taken, 0.0);
      least = std::min(least, capacity_[link] / of.messages + unused / std::max(of.held_up, 1));
    }
    return least;
  }

 private:
  struct Link {
    int messages = 0, held_up = 0;  // on it; of these, those that have no narrower one
    double taken = 0.0;             // [B/s]
  };
  const std::vector<double>& capacity_;
  std::vector<Link> links_;
};

class Timed : public Walk {
 public:
  Timed(const Program& program, const Network& network, const LoadTables& tables)
      : Walk(program, tables.eager), network_(network), tables_(tables), traffic_(network) {}

  Execution run() {
    begin(network_.latency());
    for (set_off(); !ending_.empty(); set_off()) {
      // What ends at the same time sets off together what comes next.
      const double now = ending_.top().first;
      while (!ending_.empty() && ending_.top().first <= now * (1.0 + same_time)) {
        const auto [time, index] = ending_.top();
        ending_.pop();
        traffic_.leave(under_way_[index].route, under_way_[index].share);
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
    Traffic::Share share;
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
    traffic_.enter(message.route);
    departing_.push_back(index);
  }

  // All that depart at once see each other.
  void set_off() {
    for (const int index : departing_)
      under_way_[index].share = traffic_.settle(under_way_[index].route);
    for (const int index : departing_) {
      const Message& message = under_way_[index];
      const auto& [id, from, to, bytes] = message.departure;
      const bool inside = network_.node_of(from) == network_.node_of(to);
      const LoadTable& table = inside ? tables_.within : tables_.between;
      ending_.emplace(message.start + table.at(static_cast<double>(bytes),
                                               network_.reference_capacity(from, to) /
                                                   traffic_.rate(message.route)),
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
  for (int rank = 0; rank < std::ssize(to); ++rank) {
    if (to[rank] < 0) continue;
    network.find_route(rank, to[rank], routes[rank]);
    traffic.enter(routes[rank]);
  }
  for (int rank = 0; rank < std::ssize(to); ++rank)
    if (to[rank] >= 0) traffic.settle(routes[rank]);
  std::vector<double> loads(to.size(), 0.0);
  for (int rank = 0; rank < std::ssize(to); ++rank)
    if (to[rank] >= 0)
      loads[rank] = network.reference_capacity(rank, to[rank]) / traffic.rate(routes[rank]);
  return loads;
}

}  // namespace phasewise::contention
