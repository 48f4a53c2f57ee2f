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

// What a visitor of one rank's messages is told.
struct Visitor {
  // peer: rank among all
  std::function<void(std::string_view phase, int peer, std::int64_t bytes)> sent;
  std::function<void(std::string_view phase, std::int64_t bytes)> asked;
};

void visit(const Exchange& exchange, const Visitor& visitor) {
  if (exchange.by_library()) {
    if (exchange.total_bytes() > 0) visitor.asked(exchange.phase, exchange.asked_bytes());
    return;
  }
  for (const comm::Round& round : *exchange.rounds)
    for (const comm::Transfer& transfer : round.sends)
      if (const std::int64_t bytes = exchange.bytes(transfer); bytes > 0)
        visitor.sent(exchange.phase, exchange.team->ranks[transfer.peer], bytes);
}

void visit(const std::vector<Exchange>& exchanges, const Visitor& visitor) {
  for (const Exchange& exchange : exchanges) visit(exchange, visitor);
}

void visit(const CollisionPlan& plan, const TransposeExchange& exchange, int rows, bool to_columns,
           const Visitor& visitor) {
  if (plan.division().shape(plan.own_beam()).pcol == 1) return;
  if (exchange.by_library()) {
    for (int item = 0; item < exchange.items; ++item)
      visitor.asked(exchange.phase, plan.asked_of_transpose(rows, to_columns));
    return;
  }
  for (const comm::Round& round : *exchange.rounds)
    for (const comm::Transfer& transfer : round.sends)
      visitor.sent(exchange.phase, exchange.team->ranks[transfer.peer], exchange.bytes(transfer));
}

struct Collision {
  collision::InteractionPoint point;
  collision::CollisionShape shape;
  comm::ProcessGrid grid;
};

// What strong_strong.cpp does in a step, message by message.
void visit_step(const CollisionPlan& plan, const Collision& collision,
                const comm::Settings& settings, const Step& step, const Visitor& visitor) {
  const auto& shape = collision.shape;
  if (!collision.grid.divided()) return;
  for (const std::vector<int>& pairs : plan.batches(step)) {
    visit(plan.reduce(step, pairs), visitor);
    const int grids =
        static_cast<int>(plan.own_pairs(step, plan.own_beam(), pairs).size()) * shape.planes;
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
  void visit_rank(int rank, int sample, const Visitor& visitor) const {
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
  void visit_green(int rank, const Visitor& visitor) const {
    for (const Collision& c : collisions_) {
      if (c.point.model != collision::Model::strong_strong || c.shape.green_every_step) continue;
      if (!c.grid.divided()) continue;
      const CollisionPlan plan(c.shape, settings_, c.grid, rank);
      visit(plan, plan.green(), c.shape.mx, true, visitor);
    }
  }

 private:
  // The library's sums over all ranks: turn.cpp, luminosity.cpp, slice_moments.cpp.
  void visit_sums(const Collision& c, bool first, const Visitor& visitor) const {
    const auto asked = [&](const char* phase, std::int64_t values) {
      visitor.asked(phase, 8 * values);
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

// Counts of one rank, phase by phase.
class Counts {
 public:
  Counts(const Turn& turn, int rank) : turn_(turn), rank_(rank) {}

  Visitor visitor() {
    return {[this](std::string_view phase, int peer, std::int64_t bytes) {
              PlannedPhase& p = of(phase);
              count(p, bytes);
              ++(turn_.node(peer) == turn_.node(rank_) ? p.intra_node : p.inter_node);
            },
            [this](std::string_view phase, std::int64_t bytes) {
              PlannedPhase& p = of(phase);
              count(p, bytes);
              p.library = true;
            }};
  }
  const std::vector<PlannedPhase>& phases() const { return phases_; }

 private:
  PlannedPhase& of(std::string_view phase) {
    if (last_ < phases_.size() && phases_[last_].name == phase) return phases_[last_];
    for (last_ = 0; last_ < phases_.size(); ++last_)
      if (phases_[last_].name == phase) return phases_[last_];
    PlannedPhase& made = phases_.emplace_back();
    made.name = phase;
    made.rank = rank_;
    return made;
  }
  static void count(PlannedPhase& p, std::int64_t bytes) {
    ++p.messages;
    p.bytes += bytes;
    ++p.sizes[bytes];
  }
  const Turn& turn_;
  int rank_;
  std::size_t last_ = 0;
  std::vector<PlannedPhase> phases_;
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

// Keeps, phase by phase, the rank that sends more messages (then bytes).
void keep_most(std::vector<PlannedPhase>& most, const std::vector<PlannedPhase>& phases) {
  for (const PlannedPhase& phase : phases) {
    const auto same = std::find_if(most.begin(), most.end(),
                                   [&](const auto& kept) { return kept.name == phase.name; });
    if (same == most.end())
      most.push_back(phase);
    else if (std::pair(phase.messages, phase.bytes) > std::pair(same->messages, same->bytes))
      *same = phase;
  }
}

std::array<double, 2> grid_load(const Collision& c) {
  std::array<double, 2> load{1.0, 1.0};
  for (int b = 0; b < 2; ++b) {
    const comm::Shape shape = c.grid.shape(b);
    // Slices of the fullest column, rows of the fullest process.
    const double slices = (c.point.slices + shape.prow - 1) / shape.prow;
    const double rows = (c.point.nx + shape.pcol - 1) / shape.pcol;
    load[b] = slices * rows * shape.ranks() / (static_cast<double>(c.point.slices) * c.point.nx);
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
  std::vector<PlannedPhase> most;
  const int first = std::max(rank, 0), last = rank < 0 ? ranks : rank + 1;
  for (int r = first; r < last; ++r) {
    Counts counts(turn, r), of_mesh(turn, r);
    turn.visit_rank(r, 0, counts.visitor());
    keep_most(most, counts.phases());
    turn.visit_green(r, of_mesh.visitor());
    std::vector<PlannedPhase> meshes = of_mesh.phases();
    for (PlannedPhase& phase : meshes) phase.per_mesh = true;
    keep_most(most, meshes);
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

PlannedTraffic planned_traffic(const Parameters& parameters, int ranks) {
  const Turn turn(parameters, ranks, 1);
  PlannedTraffic traffic;
  for (int rank = 0; rank < ranks; ++rank) {
    std::map<int, std::pair<std::int64_t, std::int64_t>> to;
    turn.visit_rank(rank, 0,
                    {[&](std::string_view, int peer, std::int64_t bytes) {
                       ++to[peer].first;
                       to[peer].second += bytes;
                     },
                     [](std::string_view, std::int64_t) {}});
    for (const auto& [peer, sent] : to) {
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
  std::map<std::string, double> all, done, scales;
  const auto visitor = [](std::map<std::string, double>& to) -> Visitor {
    const auto add = [&to](std::string_view phase, std::int64_t bytes) {
      to[std::string(phase)] += static_cast<double>(bytes);
    };
    return {[add](std::string_view phase, int, std::int64_t bytes) { add(phase, bytes); }, add};
  };
  turn.visit_rank(rank, 0, visitor(all));
  turn.visit_rank(rank, sample, visitor(done));
  for (const auto& [phase, bytes] : done)
    if (bytes > 0.0) scales[phase] = all[phase] / bytes;
  // Kernels of the steps go with the pairs of slices.
  const collision::InteractionPoint& point = turn.collisions().front().point;
  double pairs = 0.0;
  for (const int k : collision::sampled_steps(point.slices, sample))
    pairs += Step{point.slices, k}.pairs();
  for (const char* kernel : {"encounter", "clear", "field", "solve", "luminosity"})
    scales.emplace(kernel, point.slices * static_cast<double>(point.slices) / pairs);
  return scales;
}

}  // namespace phasewise::driver
