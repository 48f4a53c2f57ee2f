// Loops over the particles that pass an interaction point.
#pragma once

#include <cmath>
#include <limits>

#include "beam/coordinates.hpp"

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

// Marks particles with a coordinate that is no longer a finite number as lost; returns how many are
// lost.
inline int mark_lost(const beam::ParticleView& p) {
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

}  // namespace phasewise::collision
