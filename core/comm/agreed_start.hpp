// A moment at which all ranks start, so that what they time together begins together (Hunold,
// Carpen-Amarie, arXiv 1505.07734).
#pragma once

namespace phasewise::comm {

inline constexpr double agreement = 2e-4;  // s in which all ranks learn of a start
inline constexpr double spin = 5e-5;       // s before a start in which no rank yields its core

// Returns true at `time` by this rank's parallel::clock(), or false if that time has passed.
bool wait_until(double time);

}  // namespace phasewise::comm
