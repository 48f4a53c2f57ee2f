// Where a collision's kernels run.
#pragma once

#include <memory>

#include "collision/device_work.hpp"
#include "workload/session.hpp"

namespace phasewise::collision {

// Null: on the CPU, as in a skeleton run, which has no kernels. A rank takes the GPU of its number
// on its node, modulo their number. Throws std::invalid_argument with one sentence if there is
// none.
std::unique_ptr<DeviceWork> device_of(const workload::Session& session);

}  // namespace phasewise::collision
