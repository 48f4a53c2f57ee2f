// The elements of a line on the GPU, from the same functions of values as on the CPU. All pointers
// are to device memory; calls return before the work is done, in the order of the default stream.
#pragma once

#include "beam/line.hpp"

namespace phasewise::gpu {

// Takes the particles through one element of a line.
void push(const beam::Element& element, const beam::ParticleView& particles,
          const beam::PushContext& context);

}  // namespace phasewise::gpu
