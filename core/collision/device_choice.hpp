// Where a collision's kernels run.
#pragma once

#include <memory>

#include "collision/device_work.hpp"
#include "workload/session.hpp"

namespace phasewise::collision {

// Null: on the CPU, as in a skeleton run, which has no kernels. A rank takes the GPU of its number
// on its node, modulo their number. What is automatic in session.device and session.device_buffers
// is chosen there: buffers are direct where the library takes the device's memory on all ranks that
// have one. Collective. Throws std::invalid_argument with one sentence: on all ranks, if they were
// to exchange directly and cannot; on those without a GPU, if one was asked for.
std::unique_ptr<DeviceWork> device_of(workload::Session& session);

}  // namespace phasewise::collision
