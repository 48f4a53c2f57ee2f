// A collision's work on a device: emulated in this library, and CUDA's in a plug-in,
// libphasewise_cuda.so, which is loaded where a run asks for it.
#pragma once

#include <memory>
#include <string>

#include "collision/device_work.hpp"

namespace phasewise::collision::gpu {

namespace emulated {
std::unique_ptr<DeviceWork> make_work();
}

inline constexpr const char* plug_in_entry = "phasewise_collision_on_cuda";

}  // namespace phasewise::collision::gpu

// Work on the GPU of this number, modulo their number, that the caller owns; null, and why in one
// clause, if it cannot be used.
extern "C" phasewise::collision::DeviceWork* phasewise_collision_on_cuda(int number,
                                                                         std::string* why);
