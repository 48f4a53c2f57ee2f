#include "collision/interaction_point.hpp"

namespace phasewise::collision {

std::array<double, 2> InteractionPoint::separation_at(std::int64_t turn) const {
  double t = 0.0;
  if (ramp[1] > ramp[0]) {
    t = (static_cast<double>(turn) - ramp[0]) / (ramp[1] - ramp[0]);
    t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
  }
  return {separation[0] + t * (separation[2] - separation[0]),
          separation[1] + t * (separation[3] - separation[1])};
}

}  // namespace phasewise::collision
