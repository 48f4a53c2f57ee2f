// Reads crab waist and crab cavities around an interaction point from the flat parameters.
#pragma once

#include "beam/boost.hpp"
#include "collision/inserted.hpp"
#include "workload/parameters.hpp"

namespace phasewise::collision {

// `beam` and `ip` count from 1, as in the parameters.
InsertedAround build_insertions(const workload::Parameters& parameters, int beam, int ip,
                                const beam::CrossingAngle& angle);

}  // namespace phasewise::collision
