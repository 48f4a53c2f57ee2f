// How much of a collision a rank keeps in memory.
#pragma once

#include <cstdint>

namespace phasewise::collision {

enum class Contents : std::uint8_t {
  none,      // nothing: messages and kernels are only counted
  design,    // slices and meshes of the design beams, for a skeleton run
  particles  // the particles and their fields too
};

}  // namespace phasewise::collision
