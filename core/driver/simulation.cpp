#include "driver/simulation.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "driver/build_line.hpp"
#include "driver/build_point.hpp"
#include "driver/point.hpp"
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

Simulation::Simulation(const std::string& text, int threads)
    : world_(comm::Communicator::world(recorder_)), threads_(threads) {
  const Parameters parameters = Parameters::parse(text);
  seed_ = static_cast<std::uint64_t>(parameters.integer("seed"));
  parameters.integer("turns");  // the run loop counts them
  moments_order_ = static_cast<int>(parameters.integer("records.moments_order"));
  tracked_ = static_cast<int>(parameters.integer("records.tracked"));
  slices_every_ =
      parameters.has("records.slices_every") ? parameters.integer("records.slices_every") : 0;
  for (int b = 0; b < 2; ++b) read_bunch(parameters, b);
  groups_ = std::make_unique<collision::BeamGroups>(world_, std::array{tracked(0), tracked(1)});
  const int points = static_cast<int>(parameters.integer("ip.count"));
  for (int ip = 1; ip <= points; ++ip) {
    auto point = std::make_unique<Point>();
    point->description = build_point(parameters, ip);
    for (int b = 0; b < 2; ++b) {
      point->design[b] = design_moments(parameters, b + 1, ip);
      bunches_[b].segments.push_back(build_line(parameters, b + 1, ip));
    }
    const collision::InteractionPoint& description = point->description;
    if (description.model == collision::Model::strong_strong && !(tracked(0) && tracked(1)))
      parameters.fail(
          "ip." + std::to_string(ip) + ".model",
          "both beams must be tracked here, but one is the strong beam of another point");
    if (description.model == collision::Model::strong_strong)
      point->strong_strong =
          std::make_unique<collision::StrongStrong>(description, *groups_, threads_, times_);
    else if (description.model != collision::Model::none)
      point->gaussian =
          std::make_unique<collision::GaussianCollision>(description, *groups_, threads_, times_);
    points_.push_back(std::move(point));
  }
  fill_bunches(parameters);
  parameters.check_all_used();
  refresh();
}

Simulation::~Simulation() = default;

void Simulation::read_bunch(const Parameters& parameters, int b) {
  const std::string of = "beam." + std::to_string(b + 1) + ".";
  Bunch& bunch = bunches_[b];
  bunch.number = b + 1;
  bunch.charge = parameters.number(of + "charge");
  bunch.mass = parameters.number(of + "mass");
  bunch.energy = parameters.number(of + "energy");
  bunch.population = parameters.number(of + "population");
  bunch.macroparticles = parameters.integer(of + "macroparticles");
  bunch.strong = parameters.integer(of + "strong") != 0;
  if (bunch.macroparticles < 1 || bunch.macroparticles > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument(of + "macroparticles must lie between 1 and 4294967295");
  if (!(bunch.energy > bunch.mass))
    throw std::invalid_argument(of + "energy must be larger than the particle's mass");
}

void Simulation::fill_bunches(const Parameters& parameters) {
  for (int b = 0; b < 2; ++b) {
    Bunch& bunch = bunches_[b];
    const beam::BunchDescription description = build_bunch(parameters, b + 1);
    if (!groups_->holds(b)) continue;
    std::tie(bunch.first_id, bunch.last_id) = groups_->my_ids(b, bunch.macroparticles);
    bunch.particles.emplace(bunch.last_id - bunch.first_id);
    const ParticleView all = bunch.particles->view();
    parallel::for_blocks(all.size, threads_, [&](std::int64_t begin, int count, int) {
      const ParticleView block = all.part(begin, count);
      for (int i = 0; i < count; ++i)
        block.id[i] = static_cast<std::uint32_t>(bunch.first_id + begin + i);
      beam::fill(block, description, seed_, static_cast<std::uint32_t>(b + 1));
    });
  }
}

void Simulation::replace_particles(int b, const ParticleView& from) {
  Bunch& bunch = bunches_[b];
  if (!bunch.particles || from.size > bunch.particles->capacity())
    throw std::invalid_argument("more particles of beam " + std::to_string(b + 1) +
                                " than belong to this rank");
  bunch.particles->resize(from.size);
  const ParticleView to = bunch.particles->view();
  for (std::int64_t i = 0; i < from.size; ++i) {
    if (from.id[i] < bunch.first_id || from.id[i] >= bunch.last_id)
      throw std::invalid_argument("particle " + std::to_string(from.id[i]) + " of beam " +
                                  std::to_string(b + 1) + " does not belong to this rank");
    beam::store(to, i, beam::load(from, i));
    to.id[i] = from.id[i];
  }
}

void Simulation::refresh() {
  for (Bunch& bunch : bunches_) {
    bunch.bounds.fill(0.0);
    if (!bunch.particles) continue;
    bunch.particles->remove_lost();
    beam::update_bounds(bunch.particles->view(), bunch.bounds);
  }
  count_alive();
}

void Simulation::count_alive() {
  std::array<std::int64_t, 2> alive{};
  for (int b = 0; b < 2; ++b)
    if (bunches_[b].particles) alive[b] = bunches_[b].particles->size();
  world_.sum("moments", alive);
  for (int b = 0; b < 2; ++b)
    bunches_[b].alive = tracked(b) ? alive[b] : bunches_[b].macroparticles;
}

void Simulation::step() {
  record_ = {};
  for (int ip = 0; ip < interaction_points(); ++ip) {
    collide(ip);
    leave_and_push(ip);
  }
  ++turn_;
}

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

void Simulation::collide(int ip) {
  Point& point = *points_[ip];
  std::array<CollidingBeam, 2> colliding;
  measure_and_enter(ip, colliding);
  if (ip == 0) record_arrival();
  collision::CollisionResult& result = point.result = {};
  if (point.description.model != collision::Model::none) {
    cut_and_sort(ip, colliding);
    if (slices_wanted()) {
      collision::SliceMoments moments(*groups_, threads_);
      moments.set_bounds(colliding);
      for (int b = 0; b < 2; ++b) point.slices[b] = moments.of_all(colliding, b);
    }
    result = point.strong_strong ? point.strong_strong->collide(colliding)
                                 : point.gaussian->collide(colliding);
    world_.sum("records", result.outside);
  }
  record_.luminosity.push_back(result.luminosity);
  for (int b = 0; b < 2; ++b) {
    record_.beam[b].outside.push_back(result.outside[b]);
    point.last[b] = std::move(colliding[b]);
    point.last[b].particles = nullptr;
  }
}

void Simulation::reduce_bounds() {
  std::array<double, 12> all{};
  for (int b = 0; b < 2; ++b)
    std::copy(bunches_[b].bounds.begin(), bunches_[b].bounds.end(), all.begin() + 6 * b);
  world_.max("moments", all);
  for (int b = 0; b < 2; ++b) std::copy_n(all.begin() + 6 * b, 6, beam_bounds_[b].begin());
}

// One pass over the particles: sums of moments in the beam's own frame, the step into the
// collision's frame, and the histogram of z there.
void Simulation::measure_and_enter(int ip, std::array<CollidingBeam, 2>& colliding) {
  reduce_bounds();
  const collision::InteractionPoint& point = points_[ip]->description;
  const bool collides = point.model != collision::Model::none;
  std::vector<double> sums;
  std::vector<std::int64_t> counts;
  std::vector<beam::MomentSums> moments;
  std::vector<beam::LongitudinalHistogram> histograms;
  for (int b = 0; b < 2; ++b) {
    Bunch& bunch = bunches_[b];
    const collision::CollisionFrame into = frame(ip, b);
    // z/cos φ and a little room; what lies beyond counts in the outermost bins
    const double range = 1.02 * beam_bounds_[b][4] / point.angle.cos_phi;
    std::vector<beam::MomentSums> parts(threads_, {moments_order_, beam_bounds_[b], bunch.alive});
    std::vector<beam::LongitudinalHistogram> bins(threads_, beam::LongitudinalHistogram(range));
    if (bunch.particles) {
      const ParticleView all = bunch.particles->view();
      const double flops = 8.0 * beam::MomentSums::terms(moments_order_);
      times_.run("moments", static_cast<double>(all.size), flops, 96.0, [&] {
        parallel::for_blocks(all.size, threads_, [&](std::int64_t begin, int count, int thread) {
          const ParticleView block = all.part(begin, count);
          parts[thread].add(block);
          if (!collides) return;
          if (!into.is_identity()) transform(block, [&](Coordinates& c) { into.enter(c); });
          bins[thread].add(block.z, count);
        });
      });
    }
    for (int t = 1; t < threads_; ++t) {
      parts[0].add(parts[t]);
      bins[0].add(bins[t]);
    }
    moments.push_back(std::move(parts[0]));
    histograms.push_back(std::move(bins[0]));
    const auto values = moments[b].values();
    sums.insert(sums.end(), values.begin(), values.end());
    counts.insert(counts.end(), histograms[b].counts().begin(), histograms[b].counts().end());
  }
  world_.sum("moments", sums);
  if (collides) world_.sum("slices", counts);
  for (int b = 0; b < 2; ++b) {
    Bunch& bunch = bunches_[b];
    const std::size_t size = sums.size() / 2;
    std::copy_n(sums.begin() + b * size, size, moments[b].values().begin());
    bunch.moments =
        tracked(b) ? moments[b].moments(static_cast<double>(bunch.alive)) : points_[ip]->design[b];
    colliding[b].moments = mapped(bunch.moments, frame(ip, b));
    const double mean = colliding[b].moments.mean[4], rms = colliding[b].moments.rms(4);
    std::copy_n(counts.begin() + b * beam::LongitudinalHistogram::bins,
                beam::LongitudinalHistogram::bins, histograms[b].counts().begin());
    if (!tracked(b)) histograms[b] = gaussian_histogram(mean, rms);
    if (collides)
      colliding[b].cuts = beam::cut_slices(histograms[b], point.slicing, point.slices, mean, rms,
                                           point.slice_extent);
  }
}

void Simulation::cut_and_sort(int ip, std::array<CollidingBeam, 2>& colliding) {
  Point& point = *points_[ip];
  for (int b = 0; b < 2; ++b) {
    Bunch& bunch = bunches_[b];
    CollidingBeam& beam = colliding[b];
    beam.strong = bunch.strong;
    beam.macroparticles = static_cast<double>(bunch.macroparticles);
    beam.population = bunch.per_macroparticle();
    beam.kick_scale = kick_scale(bunch, bunches_[1 - b], point.description.angle.cos_phi);
    if (!bunch.particles) continue;
    beam.particles = &*bunch.particles;
    times_.run("sort", static_cast<double>(bunch.particles->size()), point.description.slices,
               114.0, [&] {
                 beam.begin =
                     beam::sort_by_slice(*bunch.particles, beam.cuts, point.slice_of[b], threads_);
               });
  }
}

// One pass over the particles: back to the beam's own frame, along the line to the next interaction
// point, and the bounds there.
void Simulation::leave_and_push(int ip) {
  const bool collided = points_[ip]->description.model != collision::Model::none;
  for (int b = 0; b < 2; ++b) {
    Bunch& bunch = bunches_[b];
    if (!bunch.particles) continue;
    const collision::CollisionFrame from = frame(ip, b);
    const beam::Line& line = bunch.segments[ip];
    const beam::PushContext about = context(bunch);
    const ParticleView all = bunch.particles->view();
    std::vector<beam::Bounds> bounds(threads_, beam::Bounds{});
    std::vector<char> lost(threads_, 0);
    times_.run("arc", static_cast<double>(all.size),
               flops_per_element * static_cast<double>(line.size()), 96.0, [&] {
                 parallel::for_blocks(all.size, threads_,
                                      [&](std::int64_t begin, int count, int thread) {
                                        const ParticleView block = all.part(begin, count);
                                        if (collided && !from.is_identity())
                                          transform(block, [&](Coordinates& c) { from.leave(c); });
                                        line.push(block, about);
                                        beam::update_bounds(block, bounds[thread]);
                                        int missing = 0;
                                        for (int i = 0; i < count; ++i)
                                          missing += block.x[i] != block.x[i];
                                        if (missing > 0) lost[thread] = 1;
                                      });
               });
    bunch.bounds.fill(0.0);
    bool any_lost = false;
    for (int t = 0; t < threads_; ++t) {
      any_lost = any_lost || lost[t] != 0;
      for (int a = 0; a < 6; ++a) bunch.bounds[a] = std::fmax(bunch.bounds[a], bounds[t][a]);
    }
    if (any_lost) bunch.particles->remove_lost();
  }
  count_alive();
}

}  // namespace phasewise::driver
