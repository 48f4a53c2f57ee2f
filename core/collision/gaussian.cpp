#include "collision/gaussian.hpp"

#include <cmath>

#include "collision/passage.hpp"
#include "collision/schedule.hpp"
#include "field/rolled_gaussian.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {
namespace {

// Lower bound of a squared size at a waist, relative to that at the reference plane; rounding might
// make it negative.
constexpr double smallest_share = 1e-12;

}  // namespace

void gaussian_encounter(const beam::ParticleView& p, const GaussianSlice& opposing,
                        double kick_scale, bool longitudinal_kick) {
  // The field of a slice without extent cannot be computed.
  if (opposing.count == 0.0 || !(opposing.xx[0] > 0.0 && opposing.yy[0] > 0.0)) return;
  const double least_xx = smallest_share * opposing.xx[0],
               least_yy = smallest_share * opposing.yy[0];
  const double half_xy = 0.5 * (opposing.xy[1] + opposing.xy[2]);
  const double scale = kick_scale * opposing.count;
  const double coupling = longitudinal_kick ? 0.25 : 0.0;
  for (std::int64_t i = 0; i < p.size; ++i) {
    const double s = meeting_distance(p.z[i], opposing.z);
    const field::PrincipalAxes axes = field::principal_axes(
        {opposing.sxx_at(-s), opposing.sxy_at(-s), opposing.syy_at(-s)}, least_xx, least_yy);
    const field::GaussianField f = field::rolled_gaussian_field(
        p.x[i] + s * p.px[i] - opposing.x_at(-s), p.y[i] + s * p.py[i] - opposing.y_at(-s), axes);
    // dU/dz at fixed transverse place: the opposing slice's centre and covariance move by ds = dz/2
    const double slope = -0.5 * (opposing.mean[1] * f.ex + opposing.mean[3] * f.ey) +
                         f.potential_sxx * (s * opposing.xx[2] - opposing.xx[1]) +
                         f.potential_syy * (s * opposing.yy[2] - opposing.yy[1]) +
                         f.potential_sxy * (s * opposing.xy[3] - half_xy);
    kick_and_return(s, scale * f.ex, scale * f.ey, longitudinal_kick ? -scale * slope : 0.0,
                    coupling, p.x[i], p.px[i], p.y[i], p.py[i], p.delta[i]);
  }
}

parallel::KernelCard gaussian_encounter_card() {
  return {.name = "gaussian_encounter",
          .flops = 470.0,
          .bytes = 88.0,        // 48 read, 40 written
          .vectorised = false,  // the field of each particle needs inner loops
          .touched = 48.0};
}

double GaussianCollision::luminosity_of(const Pair& pair,
                                        const std::array<CollidingBeam, 2>& beams) const {
  if (!ip_.luminosity || pair[0].count == 0.0 || pair[1].count == 0.0) return 0.0;
  const double s = meeting_distance(pair[0].z, pair[1].z);
  return pair[0].count * beams[0].per_macroparticle * pair[1].count * beams[1].per_macroparticle *
         overlap(pair[0], s, pair[1], -s);
}

void GaussianCollision::kick(CollidingBeam& beam, int slice, const GaussianSlice& opposing,
                             Listener& listener) {
  listener.kernel(gaussian_encounter_card(), beam.in_slice(slice), [&] {
    const std::int64_t begin = beam.begin[slice];
    const beam::ParticleView particles =
        beam.particles->view().part(begin, beam.begin[slice + 1] - begin);
    parallel::for_blocks(particles.size, threads_, [&](std::int64_t from, int count, int) {
      gaussian_encounter(particles.part(from, count), opposing, beam.kick_scale,
                         ip_.longitudinal_kick);
    });
  });
}

CollisionResult GaussianCollision::collide(std::array<CollidingBeam, 2>& beams,
                                           Listener& listener) {
  CollisionResult result;
  result.pair_luminosity.assign(pairs_in_all(ip_.slices), 0.0);
  moments_.set_bounds(beams, listener);
  for (int k = 0; k < steps(ip_.slices); ++k) {
    const Step step{ip_.slices, k};
    std::vector<SliceMoments::Which> which;
    for (int p = 0; p < step.pairs(); ++p)
      for (int b = 0; b < 2; ++b) which.push_back({b, step.own(b, p)});
    const std::vector<GaussianSlice> slices = moments_.of(beams, which, listener);
    for (int p = 0; p < step.pairs(); ++p) {
      const Pair pair{slices[2 * p], slices[2 * p + 1]};
      result.pair_luminosity[step.place(p)] = luminosity_of(pair, beams);
      for (int b = 0; b < 2; ++b)
        if (groups_.holds(b)) kick(beams[b], step.own(b, p), pair[1 - b], listener);
    }
  }
  for (const double value : result.pair_luminosity) result.luminosity += value;
  return result;
}

}  // namespace phasewise::collision
