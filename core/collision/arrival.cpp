// Arrival at an interaction point: counts and measures the beams, takes them into the collision's
// frame, and cuts them into slices.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "collision/kick_scale.hpp"
#include "collision/strong_slices.hpp"
#include "collision/transform.hpp"
#include "collision/turn.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {

using beam::ParticleView;

void Turn::arrive(int ip, Listener& listener) {
  Point& point = points_[ip];
  count_particles(ip, listener);
  if (ip == 0 && description_.tracked > 0)
    for (int b = 0; b < 2; ++b) record_tracked(b, listener);
  // A beam that has lost its last particle does not collide.
  point.collides =
      point.description.model != Model::none && bunches_[0].alive > 0 && bunches_[1].alive > 0;
  point.result = {};
  point.beams = {};
  measure_and_enter(ip, listener);
  if (ip == 0) record_arrival();
  if (!point.collides) return;
  cut_and_sort(ip, listener);
  for (int b = 0; b < 2; ++b) start_radiation(ip, b, listener);
  if (point.strong_strong) point.strong_strong->begin(point.beams, point.result, listener);
}

// Finds the number of particles and the bounds of the coordinates over all ranks, and, for a beam
// with RF, how many particles are debunched.
void Turn::count_particles(int ip, Listener& listener) {
  std::array<std::int64_t, 4> counts{};  // alive, debunched
  const std::span<std::int64_t> all(counts), alive = all.first(2), debunched = all.last(2);
  std::array<double, 12> largest{};
  for (int b = 0; b < 2; ++b) {
    beam::Bunch& bunch = bunches_[b];
    if (!bunch.particles) continue;
    if (bunch.exposed) {
      find_bounds(bunch, listener);
      if (device_) device_->take(b, bunch.particles->view());
    }
    alive[b] = bunch.particles->size();
    std::copy(bunch.bounds.begin(), bunch.bounds.end(), largest.begin() + 6 * b);
  }
  const bool with_rf = counts_debunched(ip, 0) || counts_debunched(ip, 1);
  for (int b = 0; b < 2; ++b)
    if (counts_debunched(ip, b)) debunched[b] = count_debunched(b, listener);
  listener.sum("losses", with_rf ? all : alive);
  listener.max("moments", largest);
  for (int b = 0; b < 2; ++b) {
    const bool counted = contents_ == Contents::particles && description_.is_tracked(b);
    bunches_[b].alive = counted ? alive[b] : bunches_[b].constants.macroparticles;
    std::copy_n(largest.begin() + 6 * b, 6, beam_bounds_[b].begin());
    if (counts_debunched(ip, b)) record_.beam[b].debunched = debunched[b];
  }
}

bool Turn::counts_debunched(int ip, int b) const {
  return ip == 0 && description_.is_tracked(b) && bunches_[b].constants.bucket;
}

// Counts the debunched particles of a beam on this rank.
std::int64_t Turn::count_debunched(int b, Listener& listener) {
  std::vector<std::int64_t> found(threads_, 0);
  if (groups_.holds(b)) {
    beam::Bunch& bunch = bunches_[b];
    listener.kernel(beam::debunched_card(), held_particles(b), [&] {
      if (device_) {
        found[0] = device_->count_debunched(b, *bunch.constants.bucket);
        return;
      }
      const ParticleView all = bunch.particles->view();
      parallel::for_blocks(all.size, threads_, [&](std::int64_t begin, int count, int thread) {
        found[thread] += beam::count_debunched(all.part(begin, count), *bunch.constants.bucket);
      });
    });
  }
  return std::accumulate(found.begin(), found.end(), std::int64_t{0});
}

// The particles may have been changed from outside, so lost ones are removed first. Later turns
// find the bounds while they push the particles, and a plan therefore leaves this kernel out.
void Turn::find_bounds(beam::Bunch& bunch, Listener& listener) {
  listener.kernel(beam::bounds_card(), static_cast<double>(bunch.particles->size()), [&] {
    if (mark_lost(bunch.particles->view()) > 0) bunch.particles->remove_lost();
    bunch.bounds.fill(0.0);
    beam::update_bounds(bunch.particles->view(), bunch.bounds);
  });
  bunch.exposed = false;
}

// Makes one pass over the particles of a beam: sums their moments in the beam's own frame, takes
// them into the collision's frame, and adds them to the histogram of z there.
Turn::Measured Turn::measure_beam(int ip, int b, Listener& listener) {
  beam::Bunch& bunch = bunches_[b];
  const Point& point = points_[ip];
  const bool passes = point.collides || point.description.inserts[b].any();
  const CollisionFrame into = passage_frame(ip, b);
  // z| grows to z/cos φ, plus a margin for what the boost adds.
  const double reach = 1.02 * beam_bounds_[b][4] / point.description.angle.cos_phi;
  const int order = description_.moments_order;
  std::vector<beam::MomentSums> sums(threads_, {order, beam_bounds_[b], bunch.alive});
  std::vector<beam::LongitudinalHistogram> bins(threads_, beam::LongitudinalHistogram(reach));
  parallel::KernelCard card = beam::MomentSums::card(order);
  const bool enters = passes && !into.is_identity();
  if (enters) card.flops += into.flops_to_enter();
  if (groups_.holds(b)) {
    listener.kernel(card, held_particles(b), [&] {
      if (device_) return device_->measure_and_enter(b, sums[0], passes ? &into : nullptr, bins[0]);
      const ParticleView all = bunch.particles->view();
      parallel::for_blocks(all.size, threads_, [&](std::int64_t begin, int count, int thread) {
        const ParticleView block = all.part(begin, count);
        sums[thread].add(block);
        if (enters) enter(block, into);
        if (point.collides) bins[thread].add(block.z, count);
      });
    });
  }
  for (int t = 1; t < threads_; ++t) {
    sums[0].add(sums[t]);
    bins[0].add(bins[t]);
  }
  return {std::move(sums[0]), std::move(bins[0])};
}

void Turn::measure_and_enter(int ip, Listener& listener) {
  std::array<Measured, 2> measured{measure_beam(ip, 0, listener), measure_beam(ip, 1, listener)};
  std::vector<double> sums;
  std::vector<std::int64_t> counts;
  for (Measured& m : measured) {
    sums.insert(sums.end(), m.sums.values().begin(), m.sums.values().end());
    counts.insert(counts.end(), m.histogram.counts().begin(), m.histogram.counts().end());
  }
  listener.sum("moments", sums);
  if (points_[ip].collides) listener.sum("slices", counts);
  if (contents_ != Contents::none) use_measured(ip, measured, sums, counts);
}

void Turn::use_measured(int ip, std::array<Measured, 2>& measured, std::span<const double> sums,
                        std::span<const std::int64_t> counts) {
  Point& point = points_[ip];
  for (int b = 0; b < 2; ++b) {
    beam::Bunch& bunch = bunches_[b];
    beam::LongitudinalHistogram& histogram = measured[b].histogram;
    const auto values = measured[b].sums.values();
    std::copy_n(sums.begin() + b * std::ssize(values), values.size(), values.begin());
    std::copy_n(counts.begin() + b * std::ssize(histogram.counts()), histogram.counts().size(),
                histogram.counts().begin());
    const bool known = contents_ == Contents::particles && description_.is_tracked(b);
    bunch.moments = known ? measured[b].sums.moments(static_cast<double>(bunch.alive))
                          : description_.design[ip][b];
    if (!point.collides) continue;
    CollidingBeam& beam = point.beams[b];
    cut_beam(beam, bunch.moments, frame(ip, b, number_), known ? &histogram : nullptr,
             point.description, b);
    if (bunch.constants.strong)
      beam.strong_slices =
          strong_slices(bunch.moments, frame(ip, b, number_), point.description.angle.cos_phi,
                        beam.cuts, beam.moments.mean[4], beam.moments.rms(4),
                        static_cast<double>(bunch.constants.macroparticles));
  }
}

// The strips into which a beam's slices are sorted. A device has one, since its threads take
// particles that are far apart at the same time. With one plane a particle reads so few nodes that
// strips pay only if these are more than the second cache holds.
int Turn::strips_of(const InteractionPoint& point, const CollidingBeam& beam) const {
  constexpr double assumed_cache = 0x1p19;          // B
  const double nodes = 16.0 * point.nx * point.ny;  // B, of one plane with linear weights
  const bool on_device =
      contents_ == Contents::none ? description_.planned_on_device : device_ != nullptr;
  if (point.model != Model::strong_strong || on_device) return 1;
  if (point.planes == 1 && nodes < assumed_cache) return 1;
  return beam::strips_for(beam.here / beam.slices);
}

void Turn::cut_and_sort(int ip, Listener& listener) {
  Point& point = points_[ip];
  for (int b = 0; b < 2; ++b) {
    const int slices = point.description.slices[b];
    beam::Bunch& bunch = bunches_[b];
    CollidingBeam& beam = point.beams[b];
    beam.slices = slices;
    beam.strong = bunch.constants.strong;
    beam.macroparticles = static_cast<double>(bunch.constants.macroparticles);
    beam.per_macroparticle = bunch.constants.per_macroparticle(number_);
    beam.kick_scale = kick_scale(bunch.constants, bunches_[1 - b].constants,
                                 point.description.angle.cos_phi, number_);
    if (!groups_.holds(b)) continue;
    const double here = held_particles(b);
    beam.here = here;
    if (bunch.particles)
      beam.particles = &*bunch.particles;
    else if (contents_ == Contents::design)
      for (int s = 0; s <= slices; ++s)
        beam.begin.push_back((bunch.last_id - bunch.first_id) * s / slices);
    const int strips = strips_of(point.description, beam);
    listener.kernel(beam::sort_card(slices, strips), here, [&] {
      const auto along_x = beam::strips_over(strips, beam.moments.mean[0], beam.moments.rms(0));
      beam.begin = device_ ? device_->sort(b, beam.cuts.cut)
                           : beam::sort_by_slice(*bunch.particles, beam.cuts, along_x,
                                                 point.bin_of[b], threads_);
    });
  }
}

void Turn::measure_slices(Point& point, Listener& listener) {
  SliceMoments moments(threads_, contents_, device_.get());
  moments.set_bounds(point.beams, listener);
  for (int b = 0; b < 2; ++b)
    point.slices[b] = moments.of_all(point.beams, b, point.description.slices[b], listener);
}

}  // namespace phasewise::collision
