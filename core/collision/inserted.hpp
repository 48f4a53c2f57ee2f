// The insertions around an interaction point for one beam, with the noise of its crab cavities.
#pragma once

#include <cstdint>
#include <vector>

#include "beam/crab_noise.hpp"
#include "collision/insertions.hpp"

namespace phasewise::collision {

// One side of the point.
struct InsertedSide {
  Insertions design;
  std::vector<beam::CavityNoise> noise{};  // of each cavity

  Insertions at(std::int64_t turn) const;
};

struct InsertedAround {
  InsertedSide before, behind;
  double waist_slope = 0.0;  // the waist of a particle at x lies at s = -waist_slope x

  bool any() const { return before.design.size() + behind.design.size() > 0; }
};

}  // namespace phasewise::collision
