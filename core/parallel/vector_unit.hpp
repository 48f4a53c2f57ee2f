// The time of a kernel's loops on a vector processor (docs/machine-file.md). n iterations of f
// flops take
//   ceil(n / VL) VL f / flops + loop_start,
// or n f / scalar_flops if the loop does not vectorise.
#pragma once

#include <algorithm>
#include <cmath>

#include "parallel/kernel.hpp"

namespace phasewise::parallel {

struct VectorUnit {
  double length = 0.0;  // VL, iterations of an instruction; 0: the processor has no such unit
  double start = 0.0;   // flops that the unit would do while a loop starts
  double scalar = 1.0;  // the unit's rate over that of a loop that does not vectorise
};

// Flops that take the unit as long as the card's work for these items.
inline double charged_flops(const KernelCard& card, double items, const VectorUnit& unit) {
  const double flops = items * card.flops;
  if (unit.length <= 0.0 || items <= 0.0) return flops;
  if (!card.vectorised) return flops * unit.scalar;
  const bool whole = card.loops > 0.0;  // each item has loops of its own
  const double longest = card.trip > 0.0 ? card.trip : items;
  const double n = std::max(1.0, whole ? longest : std::min(longest, items));
  const double padding = std::ceil(n / unit.length) * unit.length / n;
  return flops * padding + (whole ? items * card.loops : items / n) * unit.start;
}

}  // namespace phasewise::parallel
