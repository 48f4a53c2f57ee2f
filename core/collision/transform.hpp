// Loops over the particles that pass an interaction point.
#pragma once

#include "beam/coordinates.hpp"
#include "collision/frame.hpp"

namespace phasewise::collision {

template <class Map>
void transform(const beam::ParticleView& p, const Map& map) {
#pragma omp simd
  for (std::int64_t i = 0; i < p.size; ++i) {
    beam::Coordinates c = beam::load(p, i);
    map(c);
    beam::store(p, i, c);
  }
}

// Take particles into the collision's frame and back, one insertion after the other, so that the
// loops over the particles vectorise.
inline void enter(const beam::ParticleView& p, const CollisionFrame& frame) {
  frame.before().inwards(
      [&](const auto& kick) { transform(p, [&](beam::Coordinates& c) { kick.apply(c); }); });
  transform(p, [&](beam::Coordinates& c) { frame.come_in(c); });
}
inline void leave(const beam::ParticleView& p, const CollisionFrame& frame) {
  if (!frame.has_insertions())
    return transform(p, [&](beam::Coordinates& c) {
      frame.go_out(c);
      frame.correct(c);
    });
  transform(p, [&](beam::Coordinates& c) { frame.go_out(c); });
  frame.behind().outwards(
      [&](const auto& kick) { transform(p, [&](beam::Coordinates& c) { kick.apply(c); }); });
  transform(p, [&](beam::Coordinates& c) { frame.correct(c); });
}

// Marks particles with a coordinate that is no longer a finite number as lost, and returns their
// number.
inline int mark_lost(const beam::ParticleView& p) {
  int lost = 0;
  for (std::int64_t i = 0; i < p.size; ++i) lost += beam::is_finite(beam::load(p, i)) ? 0 : 1;
  if (lost > 0)
    for (std::int64_t i = 0; i < p.size; ++i)
      if (!beam::is_finite(beam::load(p, i))) beam::store(p, i, beam::lost_particle());
  return lost;
}

}  // namespace phasewise::collision
