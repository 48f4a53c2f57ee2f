// A study's turn as far as its messages go: what each rank does, in the order of turn.cpp and
// strong_strong.cpp, told to a visitor without MPI. The one description of the messages, for the
// plan that is shown and for the models.
//
// A visitor is told of sums over all ranks (sum: phase, bytes), of flights of exchanges (start with
// the exchanges, progress, finish) and of transposes (transpose: the exchange, and what the library
// is asked for of one grid where it does it).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "beam/moments.hpp"
#include "beam/slices.hpp"
#include "collision/plan.hpp"
#include "collision/slice_moments.hpp"
#include "collision/strong_strong.hpp"
#include "driver/build_communication.hpp"
#include "driver/build_point.hpp"

namespace phasewise::driver {

// What may be under way at the same time.
enum class Flight : std::uint8_t { reducing, sharing, other };
inline constexpr int flights = 3;

struct PlannedCollision {
  collision::InteractionPoint point;
  collision::CollisionShape shape;
  collision::ProcessGrid grid;

  bool strong_strong() const { return point.model == collision::Model::strong_strong; }
};

class TurnMessages {
 public:
  TurnMessages(const Parameters& parameters, int ranks, int node_size)
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

  const std::vector<PlannedCollision>& collisions() const { return collisions_; }
  const collision::Settings& settings() const { return settings_; }
  int node(int rank) const { return nodes_[rank]; }
  int ranks() const { return ranks_; }

  // Everything that a rank does in a turn, all steps or a sample of them.
  template <class Visitor>
  void visit_rank(int rank, int sample, Visitor& visitor) const {
    for (std::size_t ip = 0; ip < collisions_.size(); ++ip) {
      const PlannedCollision& c = collisions_[ip];
      visit_arrival(c, ip == 0, visitor);
      if (c.strong_strong()) {
        const collision::CollisionPlan plan(c.shape, settings_, c.grid, rank);
        for (const int k : collision::sampled_steps(c.point.slices, sample))
          visit_step(c, plan, collision::Step{c.point.slices, k}, visitor);
      }
      visit_departure(c, visitor);
    }
  }

  // A new Green function of each interaction point.
  template <class Visitor>
  void visit_green(int rank, Visitor& visitor) const {
    for (const PlannedCollision& c : collisions_)
      if (c.strong_strong() && !c.shape.green_every_step)
        visit_green(collision::CollisionPlan(c.shape, settings_, c.grid, rank), c, visitor);
  }
  template <class Visitor>
  void visit_green(const collision::CollisionPlan& plan, const PlannedCollision& c,
                   Visitor& visitor) const {
    if (ranks_ > 1) visit(plan, plan.green(), c.shape.mx, true, visitor);
  }

  template <class Visitor>
  void visit_step(const PlannedCollision& c, const collision::CollisionPlan& plan,
                  const collision::Step& step, Visitor& visitor) const {
    if (ranks_ == 1) return;
    const std::vector<std::vector<int>> batches = plan.batches(step);
    visitor.start(Flight::reducing, plan.reduce(step, batches[0]));
    for (std::size_t b = 0; b < batches.size(); ++b) {
      visitor.finish(Flight::reducing);
      if (b + 1 < batches.size()) {
        visitor.start(Flight::reducing, plan.reduce(step, batches[b + 1]));
        visitor.progress(Flight::reducing);
      }
      if (b == 0 && c.shape.green_every_step) visit_green(plan, c, visitor);
      visit_solve(c, plan, plan.grids_to_solve(step, batches[b]), visitor);
      visitor.finish(Flight::sharing);
      visitor.start(Flight::sharing, all_of(plan.broadcast(step, batches[b])));
      visitor.progress(Flight::sharing);
    }
    if (c.shape.luminosity) {
      const std::vector<int> together(static_cast<std::size_t>(step.pairs()), 0);
      visitor.start(Flight::other, {plan.luminosity(step, together)});
      visitor.finish(Flight::other);
    }
    visitor.finish(Flight::sharing);
  }

  // The library's sums over all ranks on arrival at an interaction point, and after the collision.
  template <class Visitor>
  void visit_arrival(const PlannedCollision& c, bool first, Visitor& visitor) const {
    if (ranks_ == 1) return;
    visitor.sum("losses", 8 * 2);
    visitor.sum("moments", 8 * 12);
    if (first && tracked_ > 0)
      for (int b = 0; b < 2; ++b) visitor.sum("tracked", std::int64_t{8} * 7 * tracked_);
    visitor.sum("moments", std::int64_t{8} * 2 * 2 * beam::MomentSums::terms(moments_order_));
    if (c.point.model == collision::Model::none) return;
    visitor.sum("slices", std::int64_t{8} * 2 * beam::LongitudinalHistogram::bins);
    if (c.strong_strong()) return;
    visitor.sum("slice_moments", 8 * 8);
    for (int k = 0; k < collision::steps(c.point.slices); ++k)
      visitor.sum("slice_moments", std::int64_t{8} * 2 *
                                       collision::Step{c.point.slices, k}.pairs() *
                                       collision::SliceMoments::values_of_a_slice());
  }
  template <class Visitor>
  void visit_departure(const PlannedCollision& c, Visitor& visitor) const {
    if (ranks_ == 1 || c.point.model == collision::Model::none) return;
    if (c.strong_strong() && c.point.luminosity)
      visitor.sum("luminosity_sum", std::int64_t{8} * 2 * c.point.slices * c.point.slices);
    visitor.sum("losses", 8 * 2);
  }

 private:
  static std::vector<comm::Exchange> all_of(collision::CollisionPlan::Broadcast broadcast) {
    std::vector<comm::Exchange> all = std::move(broadcast.own);
    for (auto* more : {&broadcast.crossing, &broadcast.other})
      all.insert(all.end(), std::make_move_iterator(more->begin()),
                 std::make_move_iterator(more->end()));
    return all;
  }

  template <class Visitor>
  void visit_solve(const PlannedCollision& c, const collision::CollisionPlan& plan, int grids,
                   Visitor& visitor) const {
    const int together = settings_.aggregate_solve ? grids : c.shape.planes;
    const auto progress = [&] {
      visitor.progress(Flight::reducing);
      visitor.progress(Flight::sharing);
    };
    for (int done = 0; done < grids; done += together) {
      progress();
      for (const bool to_columns : {true, false}) {
        visit(plan, plan.solve(together), c.shape.nx, to_columns, visitor);
        progress();
      }
    }
  }
  template <class Visitor>
  void visit(const collision::CollisionPlan& plan, const comm::TransposeExchange& exchange,
             int rows, bool to_columns, Visitor& visitor) const {
    if (plan.division().shape(plan.own_beam()).pcol > 1)
      visitor.transpose(exchange, plan.asked_of_transpose(rows, to_columns));
  }

  collision::Settings settings_;
  int ranks_;
  std::uint64_t seed_ = 0;
  std::vector<int> nodes_;
  int tracked_ = 0, moments_order_ = 2;
  std::vector<PlannedCollision> collisions_;
};

}  // namespace phasewise::driver
