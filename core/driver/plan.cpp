#include "driver/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "beam/moments.hpp"
#include "beam/slices.hpp"
#include "collision/plan.hpp"
#include "collision/slice_moments.hpp"
#include "collision/strong_strong.hpp"
#include "driver/build_communication.hpp"
#include "driver/build_point.hpp"

namespace phasewise::driver {
namespace {

using collision::CollisionPlan;
using collision::Step;
using comm::Exchange;
using comm::TransposeExchange;

// The order in which the phases are shown.
constexpr std::array phase_order = {
    "green",         "reduce_column", "reduce_row",       "reduce",        "solve",
    "broadcast_row", "broadcast",     "broadcast_column", "luminosity",    "luminosity_sum",
    "losses",        "moments",       "slices",           "slice_moments", "tracked"};

// A visitor of one rank's messages is told the phase first (in_phase), then each message
// (sent: peer among all ranks, bytes) or what the library is asked for (asked: bytes).
template <class Visitor>
void visit(const Exchange& exchange, Visitor& visitor) {
  visitor.in_phase(exchange.phase);
  if (exchange.by_library()) {
    if (exchange.total_bytes() > 0) visitor.asked(exchange.asked_bytes());
    return;
  }
  for (const comm::Round& round : *exchange.rounds)
    for (const comm::Transfer& transfer : round.sends)
      if (const std::int64_t bytes = exchange.bytes(transfer); bytes > 0)
        visitor.sent(exchange.team->ranks[transfer.peer], bytes);
}

template <class Visitor>
void visit(const std::vector<Exchange>& exchanges, Visitor& visitor) {
  for (const Exchange& exchange : exchanges) visit(exchange, visitor);
}

template <class Visitor>
void visit(const CollisionPlan& plan, const TransposeExchange& exchange, int rows, bool to_columns,
           Visitor& visitor) {
  if (plan.division().shape(plan.own_beam()).pcol == 1) return;
  visitor.in_phase(exchange.phase);
  if (exchange.by_library()) {
    for (int item = 0; item < exchange.items; ++item)
      visitor.asked(plan.asked_of_transpose(rows, to_columns));
    return;
  }
  for (const comm::Round& round : *exchange.rounds)
    for (const comm::Transfer& transfer : round.sends)
      visitor.sent(exchange.team->ranks[transfer.peer], exchange.bytes(transfer));
}

struct Collision {
  collision::InteractionPoint point;
  collision::CollisionShape shape;
  comm::ProcessGrid grid;
};

// What strong_strong.cpp does in a step, message by message.
template <class Visitor>
void visit_step(const CollisionPlan& plan, const Collision& collision,
                const comm::Settings& settings, const Step& step, Visitor& visitor) {
  const auto& shape = collision.shape;
  if (!collision.grid.divided()) return;
  for (const std::vector<int>& pairs : plan.batches(step)) {
    visit(plan.reduce(step, pairs), visitor);
    const int grids = plan.grids_to_solve(step, pairs);
    const int together = settings.aggregate_solve ? grids : shape.planes;
    for (int done = 0; done < grids; done += together)
      for (const bool to_columns : {true, false})
        visit(plan, plan.solve(together), shape.nx, to_columns, visitor);
    const CollisionPlan::Broadcast broadcast = plan.broadcast(step, pairs);
    visit(broadcast.own, visitor);
    visit(broadcast.crossing, visitor);
    visit(broadcast.other, visitor);
  }
  if (shape.green_every_step) visit(plan, plan.green(), shape.mx, true, visitor);
  if (shape.luminosity)
    visit(plan.luminosity(step, std::vector<int>(static_cast<std::size_t>(step.pairs()), 0)),
          visitor);
}

// A study's turn, as far as its messages go.
class Turn {
 public:
  Turn(const Parameters& parameters, int ranks, int node_size)
      : settings_(build_settings(parameters)), ranks_(ranks) {
    seed_ = static_cast<std::uint64_t>(parameters.integer("seed"));
    std::vector<int> nodes(static_cast<std::size_t>(ranks));
    for (int r = 0; r < ranks; ++r) nodes[r] = r / std::max(1, node_size);
    nodes_ = nodes_of(settings_, ranks, std::move(nodes));
    tracked_ = static_cast<int>(parameters.not_negative("records.tracked"));
    moments_order_ = static_cast<int>(parameters.integer("records.moments_order"));
    const int points = static_cast<int>(parameters.positive("ip.count"));
    for (int ip = 1; ip <= points; ++ip) {
      const collision::InteractionPoint point = build_point(parameters, ip);
      collisions_.push_back({point, collision::collision_shape(point),
                             build_process_grid(settings_, ranks, point.slices, seed_, nodes_)});
    }
  }

  const std::vector<Collision>& collisions() const { return collisions_; }
  const comm::Settings& settings() const { return settings_; }
  int node(int rank) const { return nodes_[rank]; }
  int ranks() const { return ranks_; }

  // Everything that a rank sends in a turn, all steps or a sample of them.
  template <class Visitor>
  void visit_rank(int rank, int sample, Visitor& visitor) const {
    for (std::size_t ip = 0; ip < collisions_.size(); ++ip) {
      const Collision& c = collisions_[ip];
      if (ranks_ > 1) visit_sums(c, ip == 0, visitor);
      if (c.point.model != collision::Model::strong_strong) continue;
      const CollisionPlan plan(c.shape, settings_, c.grid, rank);
      for (const int k : collision::sampled_steps(c.point.slices, sample))
        visit_step(plan, c, settings_, Step{c.point.slices, k}, visitor);
    }
  }
  // A new Green function of each interaction point.
  template <class Visitor>
  void visit_green(int rank, Visitor& visitor) const {
    for (const Collision& c : collisions_) {
      if (c.point.model != collision::Model::strong_strong || c.shape.green_every_step) continue;
      if (!c.grid.divided()) continue;
      const CollisionPlan plan(c.shape, settings_, c.grid, rank);
      visit(plan, plan.green(), c.shape.mx, true, visitor);
    }
  }

 private:
  // The library's sums over all ranks: turn.cpp, luminosity.cpp, slice_moments.cpp.
  template <class Visitor>
  void visit_sums(const Collision& c, bool first, Visitor& visitor) const {
    const auto asked = [&](const char* phase, std::int64_t values) {
      visitor.in_phase(phase);
      visitor.asked(8 * values);
    };
    asked("losses", 2);
    asked("moments", 12);
    if (first && tracked_ > 0)
      for (int b = 0; b < 2; ++b) asked("tracked", 7 * tracked_);
    asked("moments", 2 * 2 * beam::MomentSums::terms(moments_order_));
    if (c.point.model == collision::Model::none) return;
    asked("slices", 2 * beam::LongitudinalHistogram::bins);
    asked("losses", 2);
    const std::int64_t pairs = static_cast<std::int64_t>(c.point.slices) * c.point.slices;
    if (c.point.model == collision::Model::strong_strong) {
      if (c.point.luminosity) asked("luminosity_sum", 2 * pairs);
      return;
    }
    asked("slice_moments", 8);
    for (int k = 0; k < collision::steps(c.point.slices); ++k)
      asked("slice_moments",
            2 * Step{c.point.slices, k}.pairs() * collision::SliceMoments::values_of_a_slice());
  }

  comm::Settings settings_;
  int ranks_;
  std::uint64_t seed_ = 0;
  std::vector<int> nodes_;
  int tracked_ = 0, moments_order_ = 2;
  std::vector<Collision> collisions_;
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
  Details(const Turn& turn, PlannedPhase& phase) : turn_(turn), phase_(phase) {}
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
  const Turn& turn_;
  PlannedPhase& phase_;
  bool counts_ = false;
};

void describe(PlannedPhase& phase, const comm::Settings& settings) {
  const std::string& name = phase.name;
  const auto is = [&](const char* what) { return name.find(what) != std::string::npos; };
  phase.pattern = is("reduce")                         ? "reduce"
                  : is("broadcast")                    ? "broadcast"
                  : name == "green" || name == "solve" ? "transpose"
                  : name == "luminosity"               ? "cross"
                                                       : "sum";
  phase.direction = is("_row")                                                  ? "row"
                    : is("_column") || phase.pattern == "transpose"             ? "column"
                    : phase.pattern == "reduce" || phase.pattern == "broadcast" ? "beam"
                                                                                : "all";
  const bool crosses = name == "broadcast" ||
                       name == (settings.crossing_in_row ? "broadcast_row" : "broadcast_column");
  phase.beam = phase.direction == "all" ? "both" : crosses ? "other" : "same";
}

// The rank of [first, last) that sends most messages, then bytes, in each phase that `visit_one`
// shows of a rank; all details of it.
template <class VisitOne>
std::vector<PlannedPhase> most_in_each_phase(const Turn& turn, int first, int last,
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

std::array<double, 2> grid_load(const Collision& c) {
  std::array<double, 2> load{1.0, 1.0};
  for (int b = 0; b < 2; ++b) {
    const comm::Shape shape = c.grid.shape(b);
    // Slices of the fullest column, rows of the fullest process.
    const int slices = (c.point.slices + shape.prow - 1) / shape.prow;
    const int rows = (c.point.nx + shape.pcol - 1) / shape.pcol;
    load[b] = static_cast<double>(slices) * rows * shape.ranks() /
              (static_cast<double>(c.point.slices) * c.point.nx);
  }
  return load;
}

}  // namespace

Plan plan_turn(const Parameters& parameters, int ranks, int node_size, int rank) {
  if (ranks < 1) throw std::invalid_argument("give one rank or more");
  if (rank >= ranks)
    throw std::invalid_argument("rank " + std::to_string(rank) + " is not among " +
                                std::to_string(ranks) + " ranks, which are counted from 0");
  const Turn turn(parameters, ranks, node_size);
  const int first = std::max(rank, 0), last = rank < 0 ? ranks : rank + 1;
  std::vector<PlannedPhase> most = most_in_each_phase(
      turn, first, last, [&](int r, auto& visitor) { turn.visit_rank(r, 0, visitor); });
  for (PlannedPhase& phase : most_in_each_phase(
           turn, first, last, [&](int r, auto&visitor) { turn.visit_green(r, visitor); })) {
    phase.per_mesh = true;
    most.push_back(std::move(phase));
  }
  Plan plan;
  plan.ranks = ranks;
  const Collision& c = turn.collisions().front();
  plan.shapes = {c.grid.shape(0), c.grid.shape(1)};
  for (const char* name : phase_order)
    for (PlannedPhase& phase : most)
      if (phase.name == name) {
        describe(phase, turn.settings());
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
  const Turn turn(parameters, ranks, 1);
  PlannedTraffic traffic;
  for (int rank = 0; rank < ranks; ++rank) {
    ToPeers visitor;
    turn.visit_rank(rank, 0, visitor);
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
  const Turn turn(parameters, ranks, 1);
  Totals all, done;
  turn.visit_rank(rank, 0, all);
  turn.visit_rank(rank, sample, done);
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
  for (const int k : sampled) pairs += Step{point.slices, k}.pairs();
  for (const char* kernel : {"encounter", "clear", "field", "solve", "luminosity"})
    scales.emplace(kernel, point.slices * static_cast<double>(point.slices) / pairs);
  if (point.green_every_step)
    scales.emplace("green", collision::steps(point.slices) / static_cast<double>(sampled.size()));
  return scales;
}

}  // namespace phasewise::driver
