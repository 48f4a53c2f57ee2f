#include "hydro/group_sweep.hpp"

namespace phasewise::hydro {

// The temporaries of a block stay in the first-level cache, or close to it.
std::unique_ptr<BatchSweep> fast_sweep(const SweepSetting& setting, int direction) {
  return std::make_unique<GroupSweep<Lanes>>(setting, direction, 32);
}

}  // namespace phasewise::hydro
