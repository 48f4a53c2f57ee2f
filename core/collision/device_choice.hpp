// Where a collision's kernels run.
#pragma once

#include <memory>

#include "collision/device_work.hpp"
#include "workload/session.hpp"

namespace phasewise::collision {

// Makes the device work of this rank; null if the kernels run on the CPU, as in a skeleton run,
// which has no kernels. A rank takes the GPU of its number on its node, modulo the number of GPUs.
// Sets session.device and session.device_buffers where they are automatic: buffers are direct if
// the library sends from the device's memory on all ranks that have a device. Collective. Throws
// std::invalid_argument with one sentence: on all ranks, if they were to exchange directly and
// cannot; on the ranks without a GPU, if the study asks for one.
std::unique_ptr<DeviceWork> device_of(workload::Session& session);

}  // namespace phasewise::collision
