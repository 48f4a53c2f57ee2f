#include "hydro/group_sweep.hpp"

namespace phasewise::hydro {

// Each loop takes the whole pencil, as those of VH-1 do.
std::unique_ptr<BatchSweep> plain_sweep(const SweepSetting& setting, int direction) {
  const int whole = setting.grid.axes[direction].zones + 2 * ghosts;
  return std::make_unique<GroupSweep<double>>(setting, direction, whole);
}

}  // namespace phasewise::hydro
