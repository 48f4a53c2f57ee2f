// How strongly one macroparticle of a bunch kicks another bunch.
#pragma once

#include <cstdint>

#include "beam/bunch.hpp"

namespace phasewise::collision {

// The kick on `target` by one macroparticle of `source`, over its field E = r/r² [m]: 2 N r_c q
// q'/(γ cos φ) (1 + ββ')/((β + β')β), with the population N of this turn.
inline double kick_scale(const beam::BunchConstants& target, const beam::BunchConstants& source,
                         double cos_phi, std::int64_t turn) {
  const double b = target.beta(), other = source.beta();
  const double kinematics = (1.0 + b * other) / ((b + other) * b);
  return 2.0 * source.per_macroparticle(turn) * target.charge * source.charge *
         target.classical_radius() / (target.gamma() * cos_phi) * kinematics;
}

}  // namespace phasewise::collision
