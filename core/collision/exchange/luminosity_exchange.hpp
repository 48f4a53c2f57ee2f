// The exchange of charges for the luminosity.
#pragma once

#include <vector>

#include "collision/exchange/plan_basis.hpp"
#include "collision/exchange/schedule.hpp"
#include "exchange/exchange.hpp"

namespace phasewise::collision {

// See CollisionPlan::luminosity.
exchange::ExchangePointer luminosity_exchange(const PlanBasis& basis, const Step& step,
                                              const std::vector<int>& shift);

}  // namespace phasewise::collision
