#include "collision/gaussian.hpp"

#include "collision/device_work.hpp"
#include "collision/exchange/schedule.hpp"
#include "collision/gaussian_kick.hpp"
#include "collision/passage.hpp"
#include "collision/waist_kick.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {
void gaussian_encounter(const beam::ParticleView& p, const GaussianSlice& opposing,
                        double kick_scale, bool longitudinal_kick) {
  if (opposing.waist.slope != 0.0) {
    const WaistKickOfSlice kick(opposing, kick_scale, longitudinal_kick);
    for (std::int64_t i = 0; kick.acts() && i < p.size; ++i) kick.act(p, i);
    return;
  }
  const GaussianKick kick(opposing, kick_scale, longitudinal_kick);
  if (!kick.acts()) return;
  for (std::int64_t i = 0; i < p.size; ++i) kick.act(p, i);
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

void GaussianCollision::kick(std::array<CollidingBeam, 2>& beams, int number, int slice,
                             const GaussianSlice& opposing, Listener& listener) {
  CollidingBeam& beam = beams[number];
  listener.kernel(gaussian_encounter_card(), beam.in_slice(slice), [&] {
    const std::int64_t begin = beam.begin[slice], size = beam.begin[slice + 1] - begin;
    if (device_ != nullptr)
      return device_->gaussian_encounter(number, begin, size, opposing, beam.kick_scale,
                                         ip_.longitudinal_kick);
    const beam::ParticleView particles = beam.particles->view().part(begin, size);
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
        if (groups_.holds(b)) kick(beams, b, step.own(b, p), pair[1 - b], listener);
    }
  }
  for (const double value : result.pair_luminosity) result.luminosity += value;
  return result;
}

}  // namespace phasewise::collision
