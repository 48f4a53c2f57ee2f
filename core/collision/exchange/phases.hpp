// The exchanges of a step's charges and potentials.
#pragma once

#include "collision/exchange/dealing.hpp"
#include "collision/exchange/plan_basis.hpp"
#include "exchange/exchange.hpp"

namespace phasewise::collision {

// Sums charges on the ranks that solve for them.
exchange::Exchanges reduce_exchanges(const PlanBasis& basis, const Step& step, const Pairs& pairs);

// Sends potentials from the ranks that solved for them to all ranks of the other beam: first `own`
// within the beam that solved, then `crossing` between the beams, then `other` within the beam that
// received.
struct Broadcast {
  exchange::Exchanges own, crossing, other;
};
Broadcast broadcast_exchanges(const PlanBasis& basis, const Step& step, const Pairs& pairs);

}  // namespace phasewise::collision
