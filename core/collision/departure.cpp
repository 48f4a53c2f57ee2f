// Departure from an interaction point: records what the collision measured, returns to the beam's
// own frame, and follows the line to the next interaction point.
#include <cmath>

#include "beam/tracked.hpp"
#include "collision/transform.hpp"
#include "collision/turn.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {

using beam::ParticleView;

void Turn::depart(int ip, Listener& listener) {
  Point& point = points_[ip];
  if (point.collides) {
    if (point.strong_strong) point.strong_strong->finish(listener);
  }
  if (description_.loses_by_energy())
    lose_by_energy(ip, listener);
  else if (point.collides)
    listener.sum("losses", point.result.outside);
  record_.luminosity.push_back(point.result.luminosity);
  for (int b = 0; b < 2; ++b) {
    record_.beam[b].outside.push_back(point.result.outside[b]);
    if (description_.loses_by_energy()) record_energy(ip, b);
    point.beams[b].particles = nullptr;
    point.beams[b].radiating = nullptr;
    point.beams[b].scattering = nullptr;
  }
  for (int b = 0; b < 2; ++b)
    if (groups_.holds(b)) leave_and_push(ip, b, listener);
}

beam::PushContext Turn::context(const beam::Bunch& bunch) const {
  beam::PushContext context{};
  context.seed = description_.seed;
  context.turn = static_cast<std::uint64_t>(number_);
  context.beam = static_cast<std::uint32_t>(bunch.constants.number);
  std::copy(bunch.moments.mean.begin(), bunch.moments.mean.end(), context.centroid);
  return context;
}

// The frame through which a beam passes: without a collision only what stands around the point.
CollisionFrame Turn::passage_frame(int ip, int b) const {
  const CollisionFrame found = frame(ip, b, number_);
  return points_[ip].collides ? found : found.insertions_alone();
}

// The frame that a beam leaves. It takes out the static part of the kick if the study wants that.
CollisionFrame Turn::leaving_frame(int ip, int b) {
  const CollisionFrame from = passage_frame(ip, b);
  Point& point = points_[ip];
  if (point.description.static_kick || !point.collides || contents_ == Contents::none) return from;
  return from.less(point.static_change[b].at(description_, ip, b, number_));
}

// Makes one pass over the particles, back to the beam's own frame and along the line, and finds the
// bounds at its end.
void Turn::leave_and_push(int ip, int b, Listener& listener) {
  beam::Bunch& bunch = bunches_[b];
  const CollisionFrame from = leaving_frame(ip, b);
  const bool passes = points_[ip].collides || points_[ip].description.inserts[b].any();
  const bool leaves = passes && !from.is_identity();
  const beam::Line& line = bunch.constants.segments[ip];
  const beam::PushContext about = context(bunch);
  parallel::KernelCard card = line.card();
  card.trip = parallel::block_size;
  if (leaves) card.flops += from.flops_to_leave();
  if (device_) {
    bunch.bounds.fill(0.0);
    listener.kernel(card, held_particles(b), [&] {
      bunch.particles->resize(
          device_->leave_and_push(b, leaves ? &from : nullptr, line, about, bunch.bounds));
    });
    newer_there_[b] = true;
    return;
  }
  std::vector<beam::Bounds> bounds(threads_, beam::Bounds{});
  std::vector<std::int64_t> lost(threads_, 0);
  listener.kernel(card, held_particles(b), [&] {
    const ParticleView all = bunch.particles->view();
    parallel::for_blocks(all.size, threads_, [&](std::int64_t begin, int count, int thread) {
      const ParticleView block = all.part(begin, count);
      if (leaves) leave(block, from);
      line.push(block, about);
      lost[thread] += mark_lost(block);
      beam::update_bounds(block, bounds[thread]);
    });
  });
  bunch.bounds.fill(0.0);
  std::int64_t any_lost = 0;
  for (int t = 0; t < threads_; ++t) {
    any_lost += lost[t];
    for (int a = 0; a < 6; ++a) bunch.bounds[a] = std::fmax(bunch.bounds[a], bounds[t][a]);
  }
  if (any_lost > 0) bunch.particles->remove_lost();
}

void Turn::record_arrival() {
  for (int b = 0; b < 2; ++b) {
    record_.beam[b].moments = bunches_[b].moments;
    record_.beam[b].losses = bunches_[b].constants.macroparticles - bunches_[b].alive;
  }
}

void Turn::record_tracked(int b, Listener& listener) {
  const int tracked = description_.tracked;
  std::vector<double> rows(static_cast<std::size_t>(tracked) * beam::tracked_width, 0.0);
  if (bunches_[b].particles && bunches_[b].first_id < tracked) {
    if (device_)
      device_->tracked(b, tracked, rows.data());
    else
      beam::write_tracked(bunches_[b].particles->view(), tracked, rows.data());
  }
  listener.sum("tracked", rows);
  record_.beam[b].tracked = beam::tracked_coordinates(rows);
}

}  // namespace phasewise::collision
