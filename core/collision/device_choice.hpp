// Where a collision's kernels run.
#pragma once

#include <memory>

#include "collision/device_work.hpp"
#include "workload/session.hpp"

namespace phasewise::collision {

// Null: on the CPU, as in a skeleton run, which has no kernels. A rank takes the GPU of its number
// on its node, modulo their number. session.device_buffers must be chosen. Throws
// std::invalid_argument with one sentence if there is none.
std::unique_ptr<DeviceWork> device_of(const workload::Session& session);

// How what ranks exchange gets to and from the devices: automatic becomes direct where the library
// takes the device's memory. Collective, and the same on all ranks, which all throw
// std::invalid_argument with one sentence if they were to exchange directly and cannot.
workload::DeviceBuffers device_buffers_of(const workload::Session& session);

}  // namespace phasewise::collision
