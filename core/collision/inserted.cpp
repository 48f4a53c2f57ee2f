#include "collision/inserted.hpp"

namespace phasewise::collision {

Insertions InsertedSide::at(std::int64_t turn) const {
  Insertions result = design;
  for (int k = 0; k < result.cavities; ++k) {
    const beam::CavityErrors errors = noise[k].at(turn);
    result.cavity[k] = result.cavity[k].with_errors(errors.phase, errors.amplitude);
  }
  return result;
}

}  // namespace phasewise::collision
