// What stands on one side of an interaction point besides a plain pair of crab cavities: a
// crab-waist sextupole, and then crab cavities, counted towards the point.
#pragma once

#include <array>

#include "beam/crab_cavity.hpp"
#include "beam/crab_waist.hpp"
#include "parallel/macros.hpp"

namespace phasewise::collision {

struct Insertions {
  static constexpr int most_cavities = 8;
  static constexpr double flops_of_one = 60.0;

  beam::WaistKick waist;
  bool has_waist = false;
  int cavities = 0;
  std::array<beam::CrabCavity, most_cavities> cavity{};

  int size() const { return cavities + (has_waist ? 1 : 0); }

  // Calls take(kick) for each in the order in which the beam meets them on its way to the point.
  template <class Take>
  PHASEWISE_HD void inwards(const Take& take) const {
    if (has_waist) take(waist);
    for (int k = 0; k < cavities; ++k) take(cavity[k]);
  }
  // The same on its way from the point.
  template <class Take>
  PHASEWISE_HD void outwards(const Take& take) const {
    for (int k = cavities; k > 0; --k) take(cavity[k - 1]);
    if (has_waist) take(waist);
  }
};

}  // namespace phasewise::collision
