// A collision's work on a device: the emulated one is in this library, CUDA's in a plug-in,
// libphasewise_cuda.so, which is loaded when a run asks for it.
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

// Makes the work on the GPU of this number, modulo the number of GPUs; the caller owns it. Returns
// null, and the reason in one clause, if the GPU cannot be used.
extern "C" phasewise::collision::DeviceWork* phasewise_collision_on_cuda(int number,
                                                                         std::string* why);
