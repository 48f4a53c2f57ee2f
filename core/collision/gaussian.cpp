#include "collision/gaussian.hpp"

#include "collision/device_work.hpp"
#include "collision/exchange/schedule.hpp"
#include "collision/gaussian_kick.hpp"
#include "collision/passage.hpp"
#include "collision/radiation/density_across.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {
double GaussianCollision::luminosity_of(const Pair& pair,
                                        const std::array<CollidingBeam, 2>& beams) const {
  if (!ip_.luminosity || pair[0].count == 0.0 || pair[1].count == 0.0) return 0.0;
  const double s = meeting_distance(pair[0].z, pair[1].z);
  return pair[0].count * beams[0].per_macroparticle * pair[1].count * beams[1].per_macroparticle *
         overlap(pair[0], s, pair[1], -s);
}

namespace {

// Lets a block of particles, those from `first` of their beam on, radiate what the kicks ask for.
void radiate(RadiatingBeam& radiating, const beam::ParticleView& block, std::int64_t first,
             int other, const KickBlock& kicks, int thread) {
  double kick[2 * parallel::block_size];
  for (std::int64_t i = 0; i < block.size; ++i) {
    kick[2 * i] = kicks.kx[i];
    kick[2 * i + 1] = kicks.ky[i];
  }
  radiating.radiate(block, first, other, kick, thread);
}

}  // namespace

void GaussianCollision::kick(std::array<CollidingBeam, 2>& beams, int number, int slice, int other,
                             const Pair& pair, Listener& listener) {
  const GaussianSlice& opposing = pair[1 - number];
  CollidingBeam& beam = beams[number];
  parallel::KernelCard card = gaussian_encounter_card();
  if (ip_.beamstrahlung != Beamstrahlung::none) card = with_radiation(card);
  listener.kernel(card, beam.in_slice(slice), [&] {
    const std::int64_t begin = beam.begin[slice], count = beam.begin[slice + 1] - begin;
    if (device_ != nullptr)
      return device_->gaussian_encounter(number, begin, count, opposing, beam.kick_scale,
                                         ip_.longitudinal_kick);
    const GaussianKick kick(opposing, beam.kick_scale, ip_.longitudinal_kick);
    if (!kick.acts()) return;
    const beam::ParticleView particles = beam.particles->view().part(begin, count);
    const double size = harmonic_size(pair[number], opposing);
    const auto act_with = [&](const auto& density) {
      parallel::for_blocks(particles.size, threads_,
                           [&](std::int64_t from, int length, int thread) {
                             const beam::ParticleView block = particles.part(from, length);
                             KickBlock kicks;
                             kick.act_on_block(block, kicks);
                             if (beam.radiating != nullptr)
                               radiate(*beam.radiating, block, begin + from, other, kicks, thread);
                             if (beam.scattering != nullptr)
                               beam.scattering->scatter(block, begin + from, density, size, thread);
                           });
    };
    const double charge = beams[1 - number].per_macroparticle;
    if (opposing.waist.slope != 0.0)
      act_with(GaussianDensity<true>(opposing, charge));
    else
      act_with(GaussianDensity<false>(opposing, charge));
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
        if (groups_.holds(b)) kick(beams, b, step.own(b, p), step.other(b, p), pair, listener);
    }
  }
  for (const double value : result.pair_luminosity) result.luminosity += value;
  return result;
}

}  // namespace phasewise::collision
