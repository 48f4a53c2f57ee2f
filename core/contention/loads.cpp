#include "contention/loads.hpp"

#include <algorithm>

#include "contention/fair_share.hpp"

namespace phasewise::contention {
namespace {

// The interval that holds a value, and the value's place in it; values beyond the ends extrapolate
// the first or last interval.
struct Interval {
  std::size_t below;  // index of its lower end
  double part;
};
Interval interval_of(const std::vector<double>& values, double value) {
  if (values.size() < 2) return {0, 0.0};
  const auto above = std::upper_bound(values.begin() + 1, values.end() - 1, value);
  const auto below = static_cast<std::size_t>(above - values.begin()) - 1;
  return {below, (value - values[below]) / (values[below + 1] - values[below])};
}

double between(double a, double b, double part) { return a + (b - a) * part; }

}  // namespace

double LoadTable::at(double size, double load) const {
  const Interval row = interval_of(loads, load), column = interval_of(sizes, size);
  const auto along = [&](const std::vector<double>& times) {
    return times.size() < 2 ? times[0]
                            : between(times[column.below], times[column.below + 1], column.part);
  };
  if (seconds.size() < 2) return along(seconds[0]) * std::max(1.0, load / loads[0]);
  return std::max(between(along(seconds[row.below]), along(seconds[row.below + 1]), row.part), 0.0);
}

// The measured time includes the latency, so that the amount of work is the message as a whole.
Timing::Message LoadTables::message(const Route& /*route*/, std::int64_t bytes, int from, int to,
                                    Company /*company*/) const {
  return {.bytes = bytes,
          .level = network_.level_of(from, to),
          .delay = 0.0,
          .max_rate = network_.reference_capacity(from, to),
          .amount = 1.0};
}

double LoadTables::progress(const Message& message, double share) const {
  const LoadTable& table = tables_[static_cast<std::size_t>(message.level)];
  return 1.0 / table.at(static_cast<double>(message.bytes), message.max_rate / share);
}

std::vector<double> loads_of(const std::vector<int>& to, const Network& network) {
  std::vector<Route> routes;
  std::vector<FairShare::Flow> flows;
  std::vector<double> rates, loads(to.size(), 0.0);
  routes.reserve(to.size());
  for (int rank = 0; rank < std::ssize(to); ++rank) {
    if (to[rank] < 0) continue;
    network.find_route(rank, to[rank], routes.emplace_back());
    flows.push_back({routes.back().links, network.reference_capacity(rank, to[rank])});
  }
  FairShare(network.capacities()).rates(flows, 0.0, rates);
  for (std::size_t rank = 0, i = 0; rank < to.size(); ++rank)
    if (to[rank] >= 0) {
      loads[rank] = flows[i].max_rate / rates[i];
      ++i;
    }
  return loads;
}

}  // namespace phasewise::contention
