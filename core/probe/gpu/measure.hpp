// The measurement of a device: emulated in this library, and CUDA's in the plug-in.
#pragma once

#include <string>

#include "probe/device.hpp"

namespace phasewise::probe::gpu::emulated {
DeviceRates measure();
}

// False, and why in one clause, if the GPU of this number, modulo their number, cannot be used.
extern "C" bool phasewise_measure_cuda(int number, phasewise::probe::DeviceRates* rates,
                                       std::string* why);
