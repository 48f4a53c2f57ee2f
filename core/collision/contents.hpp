// How much of a collision a rank has in memory.
#pragma once

#include <cstdint>

namespace phasewise::collision {

enum class Contents : std::uint8_t {
  none,      // who sends what to whom, and how much there is to compute
  design,    // where slices and meshes of the design beams lie too: a skeleton
  particles  // everything
};

}  // namespace phasewise::collision
