// The measurement of a device; the emulated one is in this library, CUDA's in the plug-in.
#pragma once

#include <string>

#include "probe/device.hpp"

namespace phasewise::probe::gpu::emulated {
DeviceRates measure();
}

// Returns false, and why in one clause, if the GPU of this number, modulo the number of GPUs,
// cannot be used.
extern "C" bool phasewise_measure_cuda(int number, phasewise::probe::DeviceRates* rates,
                                       std::string* why);
