#pragma once

namespace phasewise::collision {

inline constexpr double fine_structure = 7.2973525693e-3;  // CODATA 2018

}  // namespace phasewise::collision
