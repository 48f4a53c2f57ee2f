// Energy that particles lose in a passage, and particles that are lost by it: counted on every rank
// and added up in the one sum that follows each passage.
#include <algorithm>
#include <cmath>

#include "collision/radiation/density_across.hpp"
#include "collision/radiation/optical_depth.hpp"
#include "collision/turn.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {
namespace {

parallel::KernelCard energy_losses_card() {
  return {.name = "energy_losses",
          .flops = 12.0,
          .bytes = 24.0,        // delta, px and py
          .vectorised = false,  // a comparison that rarely holds ends each particle's turn
          .touched = 24.0};
}

}  // namespace

void Turn::start_radiation(int ip, int b, Listener& listener) {
  Point& point = points_[ip];
  const InteractionPoint& about = point.description;
  if (!groups_.holds(b)) return;
  if (about.beamstrahlung != Beamstrahlung::none) {
    RadiatingBeam* radiating = point.radiating[b].get();
    point.beams[b].radiating = radiating;
    const bool draws = about.beamstrahlung == Beamstrahlung::quantum;
    listener.kernel(optical_depths_card(), draws ? held_particles(b) : 0.0, [&] {
      radiating->begin(bunches_[b].particles->view(), number_, point.beams[1 - b].density);
    });
  }
  if (about.bhabha.on) {
    ScatteringBeam* scattering = point.scattering[b].get();
    point.beams[b].scattering = scattering;
    listener.kernel(optical_depths_card(), held_particles(b),
                    [&] { scattering->begin(bunches_[b].particles->view(), number_); });
  }
}

// Marks particles beyond the momentum aperture as lost, in their beam's own frame, and those that
// no longer move along the beam.
void Turn::lose_particles(int ip, int b) {
  Point& point = points_[ip];
  const beam::Bunch& bunch = bunches_[b];
  const beam::CrossingAngle& angle = point.description.angle;
  const double tilt = point.collides ? angle.sin_phi : 0.0;
  const auto limits = bunch.constants.momentum_aperture.value_or(
      std::array<double, 2>{-1.0, std::numeric_limits<double>::infinity()});
  const ScatteringBeam* scattering = point.beams[b].scattering;
  const beam::ParticleView all = bunches_[b].particles->view();
  std::vector<std::int64_t> scattered(threads_, 0), others(threads_, 0);
  parallel::for_blocks(all.size, threads_, [&](std::int64_t begin, int count, int thread) {
    for (std::int64_t i = begin; i < begin + count; ++i) {
      const double px = all.px[i], py = all.py[i], p = 1.0 + all.delta[i];
      const double delta = all.delta[i] + (px * angle.cos_alpha + py * angle.sin_alpha) * tilt;
      if (delta >= limits[0] && delta <= limits[1] && p > 0.0 && p * p > px * px + py * py)
        continue;
      beam::store(all, i, beam::lost_particle());
      const bool after_event = scattering != nullptr && scattering->has_scattered(i);
      ++(after_event ? scattered : others)[thread];
    }
  });
  for (int t = 0; t < threads_; ++t) {
    point.result.lost_scattered[b] += scattered[t];
    point.result.lost_radiating[b] += others[t];
  }
}

void Turn::lose_by_energy(int ip, Listener& listener) {
  Point& point = points_[ip];
  const InteractionPoint& about = point.description;
  for (int b = 0; b < 2; ++b)
    if (groups_.holds(b))
      listener.kernel(energy_losses_card(), held_particles(b), [&] { lose_particles(ip, b); });
  CollisionResult& result = point.result;
  std::vector<std::int64_t> all;
  const auto each = [&](const auto& visit) {
    for (int b = 0; b < 2; ++b) {
      for (std::int64_t* count : {&result.outside[b], &result.scattered[b],
                                  &result.lost_scattered[b], &result.lost_radiating[b]})
        visit(*count);
      if (about.beamstrahlung != Beamstrahlung::none)
        for (std::int64_t& value : result.photons[b].values()) visit(value);
    }
  };
  for (int b = 0; b < 2; ++b) {
    result.photons[b] = PhotonTally(
        PhotonTally::scale_for(static_cast<double>(description_.bunches[b].macroparticles)));
    if (!point.collides || contents_ != Contents::particles) continue;
    if (point.beams[b].radiating != nullptr) result.photons[b] = point.radiating[b]->tally();
    if (point.beams[b].scattering != nullptr) result.scattered[b] = point.scattering[b]->events();
  }
  each([&](std::int64_t value) { all.push_back(value); });
  listener.sum("losses", all);
  std::size_t next = 0;
  each([&](std::int64_t& value) { value = all[next++]; });
}

// Means over the living particles; what scattering takes on average follows from the luminosity.
void Turn::record_energy(int ip, int b) {
  const Point& point = points_[ip];
  const CollisionResult& result = point.result;
  const PhotonTally& tally = result.photons[b];
  TurnRecord::Beam& record = record_.beam[b];
  const double alive = std::fmax(static_cast<double>(bunches_[b].alive), 1.0);
  const bool quanta = point.description.beamstrahlung == Beamstrahlung::quantum;
  record.photons.push_back((quanta ? tally.photons() : tally.expected_photons()) / alive);
  record.photon_loss.push_back(tally.shares() / alive);
  record.photon_square.push_back(tally.squares() / alive);
  record.upsilon.push_back(tally.largest_upsilon());
  record.lost_radiating.push_back(result.lost_radiating[b]);
  record.lost_scattered.push_back(result.lost_scattered[b]);
  record.scattered.push_back(result.scattered[b]);
  const ExpectedScattering::CrossSections expected = expected_scattering(point, b);
  record.scattering_expected.push_back(expected.events);
  record.scattering_losses_expected.push_back(expected.losses);
}

ExpectedScattering::CrossSections Turn::expected_scattering(const Point& point, int b) const {
  ExpectedScattering::CrossSections sum{0.0, 0.0};
  if (!point.expected[b] || !point.collides || point.result.pair_luminosity.empty()) return sum;
  const Slices& slices = point.description.slices;
  for (int one = 0; one < slices[0]; ++one) {
    const GaussianSlice first = typical_slice(point.beams[0], one);
    for (int two = 0; two < slices[1]; ++two) {
      const double luminosity = point.result.pair_luminosity[one * slices[1] + two];
      if (!(luminosity > 0.0)) continue;
      const auto of_pair =
          point.expected[b]->at(harmonic_size(first, typical_slice(point.beams[1], two)));
      sum.events += luminosity * of_pair.events;
      sum.losses += luminosity * of_pair.losses;
    }
  }
  return sum;
}

}  // namespace phasewise::collision
