#pragma once

namespace phasewise::numerics {

inline constexpr double two_pi = 6.283185307179586477;
inline constexpr double speed_of_light = 299792458.0;  // m/s, exact

}  // namespace phasewise::numerics
