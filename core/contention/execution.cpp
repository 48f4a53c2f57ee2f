#include "contention/execution.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <stdexcept>

#include "contention/fair_share.hpp"

namespace phasewise::contention {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
// Shares that differ by less are filled together.
constexpr double share_tolerance = 2e-3;

class Engine {
 public:
  Engine(const Program& program, const Network& network, const Protocol& protocol,
         double resolution)
      : program_(program),
        network_(network),
        protocol_(protocol),
        resolution_(resolution),
        share_(network.capacities()),
        messages_(static_cast<std::size_t>(program.messages)),
        ranks_(program.ranks.size()) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].flights.resize(program.ranks[r].flights.size());
      ranks_[r].seconds.assign(program.phases.size(), 0.0);
    }
  }

  Execution run() {
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) go_on(rank, 0.0);
    while (!active_.empty() || !starting_.empty()) advance();
    Execution result;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (ranks_[r].act < program_.ranks[r].acts.size())
        throw std::logic_error("rank " + std::to_string(r) + " waits for ever");
      result.seconds.push_back(std::move(ranks_[r].seconds));
    }
    return result;
  }

 private:
  struct FlightState {
    int round = 0;    // under way, or the next
    int pending = 0;  // messages of the round that are not done
    bool posted = false;
  };
  struct RankState {
    std::size_t act = 0;
    int waiting_for = -1;  // flight
    double since = 0.0;    // it waits since then
    std::vector<FlightState> flights;
    std::vector<double> seconds;
  };
  struct End {
    int rank = -1, flight = 0;
  };
  struct MessageState {
    End sender, receiver;  // known once they have begun
    std::int64_t bytes = 0;
    bool arrived = false;
  };
  struct Transfer {
    int message = 0;
    double start = 0.0, end = never;
    double left = 0.0;  // [B], those that a protocol slows down counted longer
    double size = 0.0, rate = 0.0;
    Route route;
  };
  using Event = std::pair<double, int>;  // time, transfer
  using Events = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

  double factor(const std::vector<double>& factors, std::int64_t bytes) const {
    const auto& sizes = protocol_.sizes;
    const auto above = std::upper_bound(sizes.begin(), sizes.end(), bytes) - sizes.begin();
    return above == 0 ? 1.0 : factors[above - 1];
  }
  const Round& round_of(int rank, int flight) const {
    const RankProgram& own = program_.ranks[rank];
    return own.rounds[own.flights[flight].first + ranks_[rank].flights[flight].round];
  }
  bool done(int rank, int flight) const {
    const Flight& planned = program_.ranks[rank].flights[flight];
    return planned.first + ranks_[rank].flights[flight].round == planned.last;
  }

  // From where the rank stands until it has to wait.
  void go_on(int rank, double now) {
    RankState& state = ranks_[rank];
    const std::vector<Act>& acts = program_.ranks[rank].acts;
    state.waiting_for = -1;
    for (; state.act < acts.size(); ++state.act) {
      const Act& act = acts[state.act];
      if (act.verb == Verb::start) continue;
      while (!done(rank, act.flight) && pass_round(rank, act.flight, now)) {
      }
      if (act.verb == Verb::finish && !done(rank, act.flight)) {
        state.waiting_for = act.flight;
        state.since = now;
        return;
      }
    }
  }

  // Posts the round where that is not done, and goes beyond it where all its messages are done.
  bool pass_round(int rank, int flight, double now) {
    FlightState& state = ranks_[rank].flights[flight];
    if (!state.posted) post(rank, flight, now);
    if (state.pending > 0) return false;
    state.posted = false;
    ++state.round;
    return true;
  }

  void post(int rank, int flight, double now) {
    const Round& round = round_of(rank, flight);
    FlightState& state = ranks_[rank].flights[flight];
    state.posted = true;
    state.pending = static_cast<int>(round.receives.size() + round.sends.size());
    for (const Receive& receive : round.receives) {
      MessageState& message = messages_[receive.id];
      message.receiver = {rank, flight};
      if (message.arrived)
        --state.pending;
      else if (message.sender.rank >= 0 && message.bytes >= protocol_.eager)
        launch(receive.id, now);
    }
    for (const Send& send : round.sends) {
      MessageState& message = messages_[send.id];
      message.sender = {rank, flight};
      message.bytes = send.bytes;
      const bool eager = send.bytes < protocol_.eager;
      if (eager) --state.pending;
      if (eager || message.receiver.rank >= 0) launch(send.id, now, send.peer);
    }
  }

  void launch(int id, double now, int to = -1) {
    const MessageState& message = messages_[id];
    const int index = take();
    Transfer& transfer = transfers_[index];
    network_.find_route(message.sender.rank, to < 0 ? message.receiver.rank : to, transfer.route);
    transfer.message = id;
    transfer.start =
        now + transfer.route.latency * factor(protocol_.latency_factors, message.bytes);
    transfer.size =
        static_cast<double>(message.bytes) / factor(protocol_.bandwidth_factors, message.bytes);
    transfer.left = transfer.size;
    starting_.emplace(transfer.start, index);
  }

  int take() {
    if (free_.empty()) {
      transfers_.emplace_back();
      return static_cast<int>(transfers_.size()) - 1;
    }
    const int index = free_.back();
    free_.pop_back();
    return index;
  }

  // Both ends go on where they were waiting for this message.
  void arrive(int index, double now) {
    MessageState& message = messages_[transfers_[index].message];
    free_.push_back(index);
    message.arrived = true;
    const End sender = message.sender, receiver = message.receiver;
    if (message.bytes >= protocol_.eager) one_done(sender, now);
    if (receiver.rank >= 0) one_done(receiver, now);
  }
  void one_done(const End& end, double now) {
    RankState& rank = ranks_[end.rank];
    if (--rank.flights[end.flight].pending > 0 || rank.waiting_for != end.flight) return;
    const Round& round = round_of(end.rank, end.flight);
    rank.seconds[round.phase] += round.weight * (now - rank.since);
    go_on(end.rank, now);
  }

  // What happens until a little after the next event happens at its own time and at the rates that
  // hold now; then rates are set anew, and what has begun in between is given what it has missed.
  void advance() {
    double next = starting_.empty() ? never : starting_.top().first;
    double lasting = 0.0;
    for (const int index : active_) {
      next = std::min(next, transfers_[index].end);
      lasting += transfers_[index].size / transfers_[index].rate;
    }
    const double until =
        active_.empty() ? next : next + resolution_ * lasting / static_cast<double>(active_.size());
    begin_and_end(until);
    set_rates(until);
  }

  void begin_and_end(double until) {
    Events ending;
    std::erase_if(active_, [&](int index) {
      Transfer& transfer = transfers_[index];
      if (transfer.end <= until) {
        ending.emplace(transfer.end, index);
        return true;
      }
      transfer.left -= transfer.rate * (until - now_);
      return false;
    });
    known_ = active_.size();
    while (true) {
      const double end = ending.empty() ? never : ending.top().first;
      const double start = starting_.empty() ? never : starting_.top().first;
      if (std::min(end, start) > until) break;
      Events& events = end <= start ? ending : starting_;
      const auto [time, index] = events.top();
      events.pop();
      if (end <= start) {
        arrive(index, time);
        continue;
      }
      // Too short for rates to be set on its account.
      const double alone = time + transfers_[index].size / transfers_[index].route.most;
      if (alone <= until)
        ending.emplace(alone, index);
      else
        active_.push_back(index);
    }
  }

  void set_rates(double now) {
    now_ = now;
    flows_.clear();
    for (const int index : active_)
      flows_.push_back({transfers_[index].route.links, transfers_[index].route.most});
    share_.rates(flows_, share_tolerance, rates_);
    for (std::size_t i = 0; i < active_.size(); ++i) {
      Transfer& transfer = transfers_[active_[i]];
      transfer.rate = rates_[i];
      if (i >= known_) transfer.left -= transfer.rate * (now - transfer.start);
      transfer.end = now + std::max(transfer.left, 0.0) / transfer.rate;
    }
  }

  const Program& program_;
  const Network& network_;
  const Protocol& protocol_;
  double resolution_;
  FairShare share_;
  std::vector<MessageState> messages_;
  std::vector<RankState> ranks_;
  std::vector<Transfer> transfers_;
  std::vector<int> free_, active_;
  std::size_t known_ = 0;  // of the active ones, those that had a rate
  Events starting_;
  double now_ = 0.0;  // the rates were set then
  std::vector<FairShare::Flow> flows_;
  std::vector<double> rates_;
};

}  // namespace

Execution execute(const Program& program, const Network& network, const Protocol& protocol,
                  double resolution) {
  return Engine(program, network, protocol, resolution).run();
}

}  // namespace phasewise::contention
