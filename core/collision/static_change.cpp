#include "collision/static_change.hpp"

#include "collision/design_mesh.hpp"
#include "collision/gaussian_kick.hpp"
#include "collision/kick_scale.hpp"
#include "collision/strong_slices.hpp"

namespace phasewise::collision {

beam::Coordinates static_change(const Description& description, int ip, int b, std::int64_t turn) {
  const InteractionPoint& point = description.points[ip];
  const CollisionFrame own = frame_of(point, b, turn, Errors::left_out);
  const CollisionFrame others = frame_of(point, 1 - b, turn, Errors::left_out);
  beam::Moments design = description.design[ip][1 - b];
  if (description.is_tracked(1 - b)) design.mean = description.orbit[1 - b];
  CollidingBeam other;
  cut_beam(other, design, others, nullptr, point, 1 - b);
  const auto slices = strong_slices(design, others, point.angle.cos_phi, other.cuts,
                                    other.moments.mean[4], other.moments.rms(4),
                                    static_cast<double>(description.bunches[1 - b].macroparticles));
  const std::array<double, 6>& start = description.orbit[b];
  beam::Coordinates c{start[0], start[1], start[2], start[3], start[4], start[5]};
  own.enter(c);
  std::uint32_t id = 0;
  const beam::ParticleView one{&c.x, &c.px, &c.y, &c.py, &c.z, &c.delta, &id, 1};
  const double scale =
      kick_scale(description.bunches[b], description.bunches[1 - b], point.angle.cos_phi, turn);
  for (const GaussianSlice& slice : slices) {
    const GaussianKick kick(slice, scale, point.longitudinal_kick);
    if (kick.acts()) kick.act(one, 0);
  }
  own.leave(c);
  return {c.x - start[0],  c.px - start[1], c.y - start[2],
          c.py - start[3], c.z - start[4],  c.delta - start[5]};
}

const beam::Coordinates& StaticChange::at(const Description& description, int ip, int b,
                                          std::int64_t turn) {
  const std::array<double, 2> separation = description.points[ip].separation_at(turn);
  const double population = description.bunches[1 - b].population_at(turn);
  if (separation_ != separation || population_ != population) {
    change_ = static_change(description, ip, b, turn);
    separation_ = separation;
    population_ = population;
  }
  return change_;
}

}  // namespace phasewise::collision
