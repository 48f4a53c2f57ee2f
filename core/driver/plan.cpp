#include "driver/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "driver/turn_messages.hpp"

namespace phasewise::driver {
namespace {

using comm::Exchange;
using comm::TransposeExchange;

// The order in which the phases are shown.
constexpr std::array phase_order = {
    "green",         "reduce_column", "reduce_row",       "reduce",        "solve",
    "broadcast_row", "broadcast",     "broadcast_column", "luminosity",    "luminosity_sum",
    "losses",        "moments",       "slices",           "slice_moments", "tracked"};

// Tells a visitor of one rank's messages the phase first (in_phase), then each message (sent: peer
// among all ranks, bytes) or what the library is asked for (asked: bytes).
template <class Visitor>
class Messages {
 public:
  explicit Messages(Visitor& visitor) : visitor_(visitor) {}

  void sum(std::string_view phase, std::int64_t bytes) {
    visitor_.in_phase(phase);
    visitor_.asked(bytes);
  }
  void start(Flight, const std::vector<Exchange>& exchanges) {
    for (const Exchange& exchange : exchanges) visit(exchange);
  }
  void progress(Flight) {}
  void finish(Flight) {}
  void transpose(const TransposeExchange& exchange, std::int64_t asked) {
    visitor_.in_phase(exchange.phase);
    if (exchange.by_library()) {
      for (int item = 0; item < exchange.items; ++item) visitor_.asked(asked);
      return;
    }
    for (const comm::Round& round : *exchange.rounds)
      for (const comm::Transfer& transfer : round.sends)
        visitor_.sent(exchange.team->ranks[transfer.peer], exchange.bytes(transfer));
  }

 private:
  void visit(const Exchange& exchange) {
    visitor_.in_phase(exchange.phase);
    if (exchange.by_library()) {
      if (exchange.total_bytes() > 0) visitor_.asked(exchange.asked_bytes());
      return;
    }
    for (const comm::Round& round : *exchange.rounds)
      for (const comm::Transfer& transfer : round.sends)
        if (const std::int64_t bytes = exchange.bytes(transfer); bytes > 0)
          visitor_.sent(exchange.team->ranks[transfer.peer], bytes);
  }
  Visitor& visitor_;
};

// Messages and bytes of one rank, phase by phase.
class Totals {
 public:
  struct Phase {
    std::string_view name;
    std::int64_t messages = 0, bytes = 0;
  };
  void in_phase(std::string_view name) {
    for (current_ = 0; current_ < phases_.size(); ++current_)
      if (phases_[current_].name == name) return;
    phases_.push_back({name});
  }
  void sent(int, std::int64_t bytes) { asked(bytes); }
  void asked(std::int64_t bytes) {
    ++phases_[current_].messages;
    phases_[current_].bytes += bytes;
  }
  const std::vector<Phase>& phases() const { return phases_; }

 private:
  std::vector<Phase> phases_;
  std::size_t current_ = 0;
};

// All that is told of one phase of one rank.
class Details {
 public:
  Details(const TurnMessages& turn, PlannedPhase& phase) : turn_(turn), phase_(phase) {}
  void in_phase(std::string_view name) { counts_ = name == phase_.name; }
  void sent(int peer, std::int64_t bytes) {
    if (!counts_) return;
    count(bytes);
    ++(turn_.node(peer) == turn_.node(phase_.rank) ? phase_.intra_node : phase_.inter_node);
  }
  void asked(std::int64_t bytes) {
    if (!counts_) return;
    count(bytes);
    phase_.library = true;
  }

 private:
  void count(std::int64_t bytes) {
    ++phase_.messages;
    phase_.bytes += bytes;
    ++phase_.sizes[bytes];
  }
  const TurnMessages& turn_;
  PlannedPhase& phase_;
  bool counts_ = false;
};

// The rank of [first, last) that sends most messages, then bytes, in each phase that `visit_one`
// shows of a rank; all details of it.
template <class VisitOne>
std::vector<PlannedPhase> most_in_each_phase(const TurnMessages& turn, int first, int last,
                                             VisitOne&& visit_one) {
  struct Most {
    std::string_view name;
    std::pair<std::int64_t, std::int64_t> sent;
    int rank;
  };
  std::vector<Most> most;
  for (int rank = first; rank < last; ++rank) {
    Totals totals;
    visit_one(rank, totals);
    for (const Totals::Phase& phase : totals.phases()) {
      const std::pair sent{phase.messages, phase.bytes};
      const auto known = std::find_if(most.begin(), most.end(),
                                      [&](const Most& m) { return m.name == phase.name; });
      if (known == most.end())
        most.push_back({phase.name, sent, rank});
      else if (sent > known->sent)
        *known = {phase.name, sent, rank};
    }
  }
  std::vector<PlannedPhase> result;
  for (const Most& m : most) {
    if (m.sent.first == 0) continue;
    PlannedPhase phase;
    phase.name = m.name;
    phase.rank = m.rank;
    Details details(turn, phase);
    visit_one(m.rank, details);
    result.push_back(std::move(phase));
  }
  return result;
}

std::array<double, 2> grid_load(const PlannedCollision& c) {
  std::array<double, 2> load{1.0, 1.0};
  for (int b = 0; b < 2; ++b) {
    const collision::Shape shape = c.grid.shape(b);
    // Slices of the fullest column, rows of the fullest process.
    const int slices = (c.point.slices + shape.prow - 1) / shape.prow;
    const int rows = (c.point.nx + shape.pcol - 1) / shape.pcol;
    load[b] = static_cast<double>(slices) * rows * shape.ranks() /
              (static_cast<double>(c.point.slices) * c.point.nx);
  }
  return load;
}

}  // namespace

PhaseTraits traits_of(const std::string& name, const collision::Settings& settings) {
  const auto is = [&](const char* what) { return name.find(what) != std::string::npos; };
  PhaseTraits traits;
  traits.pattern = is("reduce")                         ? "reduce"
                   : is("broadcast")                    ? "broadcast"
                   : name == "green" || name == "solve" ? "transpose"
                   : name == "luminosity"               ? "cross"
                                                        : "sum";
  traits.direction = is("_row")                                                    ? "row"
                     : is("_column") || traits.pattern == "transpose"              ? "column"
                     : traits.pattern == "reduce" || traits.pattern == "broadcast" ? "beam"
                                                                                   : "all";
  const bool crosses = name == "broadcast" ||
                       name == (settings.crossing_in_row ? "broadcast_row" : "broadcast_column");
  traits.beam = traits.direction == "all" ? "both" : crosses ? "other" : "same";
  return traits;
}

Plan plan_turn(const Parameters& parameters, int ranks, int node_size, int rank) {
  if (ranks < 1) throw std::invalid_argument("give one rank or more");
  if (rank >= ranks)
    throw std::invalid_argument("rank " + std::to_string(rank) + " is not among " +
                                std::to_string(ranks) + " ranks, which are counted from 0");
  const TurnMessages turn(parameters, ranks, node_size);
  const int first = std::max(rank, 0), last = rank < 0 ? ranks : rank + 1;
  std::vector<PlannedPhase> most = most_in_each_phase(turn, first, last, [&](int r, auto& visitor) {
    Messages messages(visitor);
    turn.visit_rank(r, 0, messages);
  });
  for (PlannedPhase& phase : most_in_each_phase(turn, first, last, [&](int r, auto&visitor) {
         Messages messages(visitor);
         turn.visit_green(r, messages);
       })) {
    phase.per_mesh = true;
    most.push_back(std::move(phase));
  }
  Plan plan;
  plan.ranks = ranks;
  const PlannedCollision& c = turn.collisions().front();
  plan.shapes = {c.grid.shape(0), c.grid.shape(1)};
  for (const char* name : phase_order)
    for (PlannedPhase& phase : most)
      if (phase.name == name) {
        phase.traits = traits_of(phase.name, turn.settings());
        plan.phases.push_back(std::move(phase));
      }
  plan.grid_load = grid_load(c);
  for (int b = 0; b < 2; ++b) {
    const double n = static_cast<double>(
        parameters.integer("beam." + std::to_string(b + 1) + ".macroparticles"));
    const double share = plan.shapes[b].ranks();
    plan.particle_load[b] = std::ceil(n / share) * share / n;
  }
  return plan;
}

namespace {

class ToPeers {
 public:
  void in_phase(std::string_view) {}
  void asked(std::int64_t) {}
  void sent(int peer, std::int64_t bytes) {
    ++to[peer].first;
    to[peer].second += bytes;
  }
  std::map<int, std::pair<std::int64_t, std::int64_t>> to;
};

}  // namespace

PlannedTraffic planned_traffic(const Parameters& parameters, int ranks) {
  const TurnMessages turn(parameters, ranks, 1);
  PlannedTraffic traffic;
  for (int rank = 0; rank < ranks; ++rank) {
    ToPeers visitor;
    Messages messages(visitor);
    turn.visit_rank(rank, 0, messages);
    for (const auto& [peer, sent] : visitor.to) {
      traffic.from.push_back(rank);
      traffic.to.push_back(peer);
      traffic.messages.push_back(sent.first);
      traffic.bytes.push_back(sent.second);
    }
  }
  return traffic;
}

std::map<std::string, double> sampling_scales(const Parameters& parameters, int ranks, int rank,
                                              int sample) {
  const TurnMessages turn(parameters, ranks, 1);
  Totals all, done;
  Messages in_all(all), in_sample(done);
  turn.visit_rank(rank, 0, in_all);
  turn.visit_rank(rank, sample, in_sample);
  std::map<std::string, double> scales;
  for (const Totals::Phase& some : done.phases())
    for (const Totals::Phase& whole : all.phases())
      if (whole.name == some.name && some.bytes > 0)
        scales[std::string(some.name)] =
            static_cast<double>(whole.bytes) / static_cast<double>(some.bytes);
  // Kernels of the steps go with the pairs of slices.
  const collision::InteractionPoint& point = turn.collisions().front().point;
  const std::vector<int> sampled = collision::sampled_steps(point.slices, sample);
  double pairs = 0.0;
  for (const int k : sampled) pairs += collision::Step{point.slices, k}.pairs();
  for (const char* kernel : {"encounter", "clear", "field", "solve", "luminosity"})
    scales.emplace(kernel, point.slices * static_cast<double>(point.slices) / pairs);
  if (point.green_every_step)
    scales.emplace("green", collision::steps(point.slices) / static_cast<double>(sampled.size()));
  return scales;
}

}  // namespace phasewise::driver
