#include "contention/execution.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include "contention/fair_share.hpp"

namespace phasewise::contention {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
// Links whose shares differ by less than this are filled together.
constexpr double share_tolerance = 2e-3;
constexpr double least_weight = 0.02;
constexpr double microseconds = 1e6;  // in a second

using Event = std::pair<double, int>;  // time, and the index of the transfer or rank
using Events = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

double first_of(const Events& events) { return events.empty() ? never : events.top().first; }

// Lets messages share the links that they cross.
class Sharing : public Walk {
 public:
  Sharing(const Program& program, const Network& network, const Timing& timing, std::int64_t eager,
          double resolution)
      : Walk(program, eager),
        network_(network),
        timing_(timing),
        resolution_(resolution),
        share_(network.capacities()),
        arriving_(network.capacities().size()) {}

  Execution run() {
    begin(network_.latency());
    while (!active_.empty() || !starting_.empty() || !waking_.empty()) advance();
    return finish();
  }

 private:
  struct Transfer {
    int id = 0;
    double start = 0.0;
    Timing::Message message;
    Route route;
    std::vector<double> weights;  // of the links of the route, if they are not 1
  };
  // A transfer that is using links.
  struct Active {
    int index;
    double left, rate = 0.0, end = never;  // left: of the message's amount; rate: per second
  };

  void launch(const Departure& departure, double now) override {
    const int index = take();
    Transfer& transfer = transfers_[index];
    const auto& [id, from, to, bytes, company] = departure;
    network_.find_route(from, to, transfer.route);
    transfer.message = timing_.message(transfer.route, bytes, from, to, company);
    // Where nodes of one rank have no memory bus, a rank's message to itself takes no time.
    if (from == to && !(transfer.message.max_rate > 0.0)) {
      transfer.message.amount = 0.0;
      transfer.message.max_rate = 1.0;
    }
    transfer.id = id;
    transfer.start = now + transfer.message.delay;
    starting_.emplace(transfer.start, index);
  }

  void sleep(int rank, double then) override { waking_.emplace(then, rank); }

  int take() {
    if (free_.empty()) {
      transfers_.emplace_back();
      return static_cast<int>(transfers_.size()) - 1;
    }
    const int index = free_.back();
    free_.pop_back();
    return index;
  }

  // Handles the events from the next one until a little later, each at its own time and with the
  // present rates. Then it sets new rates, and credits transfers that began in between with what
  // they would have done since.
  void advance() {
    double next = std::min(first_of(starting_), first_of(waking_));
    if (!active_.empty()) next = std::min(next, first_end_);
    const double until = active_.empty()
                             ? next
                             : next + resolution_ * lasting_ / static_cast<double>(active_.size());
    if (begin_and_end(until))
      set_rates(until);
    else
      now_ = until;
  }

  // Returns whether the set of messages under way has changed.
  bool begin_and_end(double until) {
    Events ending;
    std::erase_if(active_, [&](Active& active) {
      if (active.end <= until) {
        ending.emplace(active.end, active.index);
        return true;
      }
      active.left -= active.rate * (until - now_);
      return false;
    });
    known_ = active_.size();
    bool changed = !ending.empty();
    while (true) {
      const double end = first_of(ending), start = first_of(starting_), wake = first_of(waking_);
      if (std::min({end, start, wake}) > until) return changed;
      Events& events = wake < std::min(end, start) ? waking_ : end <= start ? ending : starting_;
      const auto [time, index] = events.top();
      events.pop();
      if (&events == &waking_) {
        go_on(index, time);
        continue;
      }
      if (end <= start) {
        free_.push_back(index);
        arrive(transfers_[index].id, time);
        continue;
      }
      // A message that ends within this span does not need new rates.
      const Timing::Message& message = transfers_[index].message;
      const double alone = time + message.amount / timing_.progress(message, message.max_rate);
      if (alone <= until) {
        ending.emplace(alone, index);
        continue;
      }
      active_.push_back({.index = index, .left = message.amount});
      changed = true;
    }
  }

  void set_rates(double now) {
    now_ = now;
    flows_.clear();
    for (const Active& active : active_)
      if (const Route& route = transfers_[active.index].route; route.by_ranks)
        ++arriving_[route.links.back()];
    for (const Active& active : active_) {
      Transfer& transfer = transfers_[active.index];
      const double penalty = transfer.message.penalty;
      flows_.push_back({transfer.route.links, transfer.message.max_rate * penalty});
      set_weights(transfer);
      if (transfer.route.by_ranks || penalty != 1.0) flows_.back().weights = transfer.weights;
    }
    for (const Active& active : active_)
      if (const Route& route = transfers_[active.index].route; route.by_ranks)
        arriving_[route.links.back()] = 0;
    share_.rates(flows_, share_tolerance, rates_);
    first_end_ = never;
    lasting_ = 0.0;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      Active& active = active_[i];
      const Transfer& transfer = transfers_[active.index];
      active.rate = timing_.progress(transfer.message, rates_[i] / transfer.message.penalty);
      if (i >= known_) active.left -= active.rate * (now - transfer.start);
      active.end = now + std::max(active.left, 0.0) / active.rate;
      first_end_ = std::min(first_end_, active.end);
      lasting_ += transfer.message.amount / active.rate;
    }
  }

  // A rate times its penalty is shared max-min fairly, and takes 1/penalty of each link.
  void set_weights(Transfer& transfer) const {
    const Timing::Message& message = transfer.message;
    const std::vector<int>& links = transfer.route.links;
    if (!transfer.route.by_ranks) {
      if (message.penalty != 1.0) transfer.weights.assign(links.size(), 1.0 / message.penalty);
      return;
    }
    // Several messages at once may take longer each than one alone, since no cache holds them all.
    const double most = arriving_[links.back()] > 1 ? never : 1.0;
    transfer.weights.assign(links.size(), std::min(message.of_receiver, most));
    transfer.weights.front() = message.of_sender;
  }

  const Network& network_;
  const Timing& timing_;
  double resolution_;
  FairShare share_;
  std::vector<int> arriving_;  // messages under way to a rank, by its link
  std::vector<Transfer> transfers_;
  std::vector<int> free_;
  std::vector<Active> active_;
  std::size_t known_ = 0;  // the first active ones, which already had a rate
  // The time at which the first of the active ones ends, and the sum of their durations.
  double first_end_ = never, lasting_ = 0.0;
  Events starting_, waking_;  // events of messages, and of ranks
  double now_ = 0.0;          // when the rates were set
  std::vector<FairShare::Flow> flows_;
  std::vector<double> rates_;
};

}  // namespace

double Protocol::factor(const std::vector<double>& factors, std::int64_t bytes) const {
  const auto above = std::upper_bound(sizes_.begin(), sizes_.end(), bytes) - sizes_.begin();
  return above == 0 ? 1.0 : factors[above - 1];
}

Timing::Message Protocol::message(const Route& route, std::int64_t bytes, int /*from*/, int /*to*/,
                                  Company company) const {
  const std::int64_t sent = bytes == 0 ? 0 : bytes + header_;
  Message found{.bytes = bytes,
                .delay = route.latency * factor(latency_factors_, sent),
                .max_rate = route.max_bandwidth,
                .amount = static_cast<double>(sent) / factor(bandwidth_factors_, sent)};
  if (by_latency_) found.penalty = route.latency * microseconds;
  if (company == Company::crossing && swaps_.known()) {
    const double seconds = swaps_.message(static_cast<double>(bytes));
    found.delay *= seconds / (found.delay + found.amount / found.max_rate);
    // Of several messages at once, only the handshakes overlap; the ranks' work does not.
    if (route.by_ranks && streams_.known()) found.delay = std::min(found.delay, streams_.handshake);
    found.amount = (seconds - found.delay) * found.max_rate;
  }
  if (bytes == 0 || !route.by_ranks || !streams_.known()) return found;
  // The slower side takes the time of a further message of a stream; the sender takes the rest of a
  // message's time. A message that only the receiver copies costs the sender nothing.
  const double alone = found.amount / found.max_rate;
  const double further = streams_.message(static_cast<double>(bytes)) - streams_.messages.front();
  const double slower = further / alone;
  found.of_receiver = std::max(slower, least_weight);
  found.of_sender = std::clamp(1.0 - slower, least_weight, found.of_receiver);
  if (company == Company::behind) {
    found.max_rate /= found.of_receiver;
    found.delay = std::min(found.delay, streams_.handshake);
  }
  return found;
}

Execution execute(const Program& program, const Network& network, const Timing& timing,
                  std::int64_t eager, double resolution) {
  return Sharing(program, network, timing, eager, resolution).run();
}

}  // namespace phasewise::contention
