// One passage of an interaction point: measure, enter the collision's frame, collide, leave, and go
// on to the next one.
#include <cmath>
#include <limits>

#include "driver/build_point.hpp"
#include "driver/point.hpp"
#include "driver/simulation.hpp"
#include "parallel/loops.hpp"

namespace phasewise::driver {

using beam::Coordinates;
using beam::ParticleView;
using collision::CollidingBeam;

namespace {

constexpr double flops_per_element = 80.0;  // of the usual elements, on average

template <class Map>
void transform(const ParticleView& p, const Map& map) {
#pragma omp simd
  for (std::int64_t i = 0; i < p.size; ++i) {
    Coordinates c = beam::load(p, i);
    map(c);
    beam::store(p, i, c);
  }
}

// Marks particles with a coordinate that is no longer a finite number as lost; returns how many are
// lost.
int mark_lost(const ParticleView& p) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto finite = [&](std::int64_t i) {
    return (std::fabs(p.x[i]) + std::fabs(p.px[i])) + (std::fabs(p.y[i]) + std::fabs(p.py[i])) +
               (std::fabs(p.z[i]) + std::fabs(p.delta[i])) <
           infinity;
  };
  int lost = 0;
  for (std::int64_t i = 0; i < p.size; ++i) lost += finite(i) ? 0 : 1;
  if (lost > 0)
    for (std::int64_t i = 0; i < p.size; ++i)
      if (!finite(i)) beam::store(p, i, {none, none, none, none, none, none});
  return lost;
}

// Mean and covariance after a map that is nearly linear over the beam: by its differences over one
// rms each way.
beam::Moments mapped(const beam::Moments& m, const collision::CollisionFrame& frame) {
  const auto image = [&](int coordinate, double step) {
    std::array<double, 6> u = m.mean;
    if (coordinate >= 0) u[coordinate] += step;
    Coordinates c{u[0], u[1], u[2], u[3], u[4], u[5]};
    frame.enter(c);
    return std::array<double, 6>{c.x, c.px, c.y, c.py, c.z, c.delta};
  };
  std::array<std::array<double, 6>, 6> slope{};
  for (int a = 0; a < 6; ++a) {
    const double step = m.rms(a) > 0.0 ? m.rms(a) : 1e-9;
    const auto high = image(a, step), low = image(a, -step);
    for (int i = 0; i < 6; ++i) slope[i][a] = (high[i] - low[i]) / (2.0 * step);
  }
  beam::Moments result = m;
  result.mean = image(-1, 0.0);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      double sum = 0.0;
      for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b) sum += slope[i][a] * m.covariance[a][b] * slope[j][b];
      result.covariance[i][j] = sum;
    }
  return result;
}

}  // namespace

collision::CollisionFrame Simulation::frame(int ip, int b) const {
  const collision::InteractionPoint& point = points_[ip]->description;
  const auto [sx, sy] = point.separation_at(turn_);
  const double half = b == 0 ? 0.5 : -0.5;
  return {point.angle, point.crab[b], half * sx, half * sy};
}

beam::PushContext Simulation::context(const Bunch& bunch) const {
  beam::PushContext context{};
  context.seed = seed_;
  context.turn = static_cast<std::uint64_t>(turn_);
  context.beam = static_cast<std::uint32_t>(bunch.number);
  std::copy(bunch.moments.mean.begin(), bunch.moments.mean.end(), context.centroid);
  return context;
}

// Particles that somebody may have written to are looked at anew; then all ranks agree on numbers
// and bounds.
void Simulation::take_stock() {
  std::array<std::int64_t, 2> alive{};
  std::array<double, 12> largest{};
  for (int b = 0; b < 2; ++b) {
    Bunch& bunch = bunches_[b];
    if (!bunch.particles) continue;
    if (bunch.exposed) {
      if (mark_lost(bunch.particles->view()) > 0) bunch.particles->remove_lost();
      bunch.bounds.fill(0.0);
      beam::update_bounds(bunch.particles->view(), bunch.bounds);
      bunch.exposed = false;
    }
    alive[b] = bunch.particles->size();
    std::copy(bunch.bounds.begin(), bunch.bounds.end(), largest.begin() + 6 * b);
  }
  world_.sum("losses", alive);
  world_.max("moments", largest);
  for (int b = 0; b < 2; ++b) {
    const bool counted = tracked(b) && !skeleton_;
    bunches_[b].alive = counted ? alive[b] : bunches_[b].macroparticles;
    std::copy_n(largest.begin() + 6 * b, 6, beam_bounds_[b].begin());
  }
}

void Simulation::collide(int ip) {
  Point& point = *points_[ip];
  take_stock();
  if (ip == 0 && tracked_ > 0)
    for (int b = 0; b < 2; ++b) record_tracked(b);
  // A beam that has lost its last particle meets nobody.
  point.collides = point.description.model != collision::Model::none && bunches_[0].alive > 0 &&
                   bunches_[1].alive > 0;
  std::array<CollidingBeam, 2> colliding;
  measure_and_enter(ip, colliding);
  if (ip == 0) record_arrival();
  collision::CollisionResult& result = point.result = {};
  if (point.collides) {
    cut_and_sort(ip, colliding);
    if (slices_wanted()) measure_slices(point, colliding);
    result = point.strong_strong ? point.strong_strong->collide(colliding)
                                 : point.gaussian->collide(colliding);
    world_.sum("losses", result.outside);
  }
  record_.luminosity.push_back(result.luminosity);
  for (int b = 0; b < 2; ++b) {
    record_.beam[b].outside.push_back(result.outside[b]);
    point.last[b] = std::move(colliding[b]);
    point.last[b].particles = nullptr;
  }
}

void Simulation::measure_slices(Point& point, const std::array<CollidingBeam, 2>& colliding) {
  collision::SliceMoments moments(*groups_, threads_);
  moments.set_bounds(colliding);
  for (int b = 0; b < 2; ++b) point.slices[b] = moments.of_all(colliding, b);
}

// One pass over the particles of a beam: sums of moments in the beam's own frame, the step into the
// collision's frame, and the histogram of z there.
Simulation::Measured Simulation::measure_beam(int ip, int b) {
  Bunch& bunch = bunches_[b];
  const Point& point = *points_[ip];
  const collision::CollisionFrame into = frame(ip, b);
  // z/cos φ, and a little for what the boost adds
  const double reach = 1.02 * beam_bounds_[b][4] / point.description.angle.cos_phi;
  std::vector<beam::MomentSums> sums(threads_, {moments_order_, beam_bounds_[b], bunch.alive});
  std::vector<beam::LongitudinalHistogram> bins(threads_, beam::LongitudinalHistogram(reach));
  if (groups_->holds(b)) {
    const ParticleView all = particles(b);
    const double flops = 8.0 * beam::MomentSums::terms(moments_order_);
    const auto block_work = [&](std::int64_t begin, int count, int thread) {
      const ParticleView block = all.part(begin, count);
      sums[thread].add(block);
      if (!point.collides) return;
      if (!into.is_identity()) transform(block, [&](Coordinates& c) { into.enter(c); });
      bins[thread].add(block.z, count);
    };
    times_.run("moments", static_cast<double>(all.size), flops, 96.0,
               [&] { parallel::for_blocks(all.size, threads_, block_work); });
  }
  for (int t = 1; t < threads_; ++t) {
    sums[0].add(sums[t]);
    bins[0].add(bins[t]);
  }
  return {std::move(sums[0]), std::move(bins[0])};
}

void Simulation::measure_and_enter(int ip, std::array<CollidingBeam, 2>& colliding) {
  const Point& point = *points_[ip];
  std::array<Measured, 2> measured{measure_beam(ip, 0), measure_beam(ip, 1)};
  std::vector<double> sums;
  std::vector<std::int64_t> counts;
  for (Measured& m : measured) {
    sums.insert(sums.end(), m.sums.values().begin(), m.sums.values().end());
    counts.insert(counts.end(), m.histogram.counts().begin(), m.histogram.counts().end());
  }
  world_.sum("moments", sums);
  if (point.collides) world_.sum("slices", counts);
  for (int b = 0; b < 2; ++b) {
    Bunch& bunch = bunches_[b];
    beam::LongitudinalHistogram& histogram = measured[b].histogram;
    const auto values = measured[b].sums.values();
    std::copy_n(sums.begin() + b * std::ssize(values), values.size(), values.begin());
    std::copy_n(counts.begin() + b * std::ssize(histogram.counts()), histogram.counts().size(),
                histogram.counts().begin());
    const bool known = tracked(b) && !skeleton_;
    bunch.moments =
        known ? measured[b].sums.moments(static_cast<double>(bunch.alive)) : point.design[b];
    if (!point.collides) continue;
    colliding[b].moments = mapped(bunch.moments, frame(ip, b));
    const double mean = colliding[b].moments.mean[4], rms = colliding[b].moments.rms(4);
    colliding[b].cuts = beam::cut_slices(known ? histogram : gaussian_histogram(mean, rms),
                                         point.description.slicing, point.description.slices, mean,
                                         rms, point.description.slice_extent);
  }
}

void Simulation::cut_and_sort(int ip, std::array<CollidingBeam, 2>& colliding) {
  Point& point = *points_[ip];
  for (int b = 0; b < 2; ++b) {
    Bunch& bunch = bunches_[b];
    CollidingBeam& beam = colliding[b];
    beam.strong = bunch.strong;
    beam.macroparticles = static_cast<double>(bunch.macroparticles);
    beam.per_macroparticle = bunch.per_macroparticle();
    beam.kick_scale = kick_scale(bunch, bunches_[1 - b], point.description.angle.cos_phi);
    if (!groups_->holds(b)) continue;
    const std::int64_t here = particles(b).size;
    if (skeleton_)
      for (int s = 0; s <= point.description.slices; ++s)
        beam.begin.push_back(here * s / point.description.slices);
    else
      beam.particles = &*bunch.particles;
    times_.run("sort", static_cast<double>(here), point.description.slices, 114.0, [&] {
      beam.begin = beam::sort_by_slice(*bunch.particles, beam.cuts, point.slice_of[b], threads_);
    });
  }
}

// One pass over the particles: back to the beam's own frame, along the line to the next interaction
// point, and the bounds there.
void Simulation::leave_and_push(int ip) {
  for (int b = 0; b < 2; ++b) {
    Bunch& bunch = bunches_[b];
    if (!groups_->holds(b)) continue;
    const collision::CollisionFrame from = frame(ip, b);
    const bool leaves = points_[ip]->collides && !from.is_identity();
    const beam::Line& line = bunch.segments[ip];
    const beam::PushContext about = context(bunch);
    const ParticleView all = particles(b);
    std::vector<beam::Bounds> bounds(threads_, beam::Bounds{});
    std::vector<std::int64_t> lost(threads_, 0);
    const auto block_work = [&](std::int64_t begin, int count, int thread) {
      const ParticleView block = all.part(begin, count);
      if (leaves) transform(block, [&](Coordinates& c) { from.leave(c); });
      line.push(block, about);
      lost[thread] += mark_lost(block);
      beam::update_bounds(block, bounds[thread]);
    };
    times_.run("arc", static_cast<double>(all.size),
               flops_per_element * static_cast<double>(line.size()), 96.0,
               [&] { parallel::for_blocks(all.size, threads_, block_work); });
    bunch.bounds.fill(0.0);
    std::int64_t any_lost = 0;
    for (int t = 0; t < threads_; ++t) {
      any_lost += lost[t];
      for (int a = 0; a < 6; ++a) bunch.bounds[a] = std::fmax(bunch.bounds[a], bounds[t][a]);
    }
    if (any_lost > 0) bunch.particles->remove_lost();
  }
}

}  // namespace phasewise::driver
