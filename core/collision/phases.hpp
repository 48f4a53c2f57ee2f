// The exchanges of a step's charges and potentials.
#pragma once

#include "collision/dealing.hpp"
#include "collision/plan_basis.hpp"
#include "comm/exchange.hpp"

namespace phasewise::collision {

// Charges to those who solve for them.
comm::Exchanges reduce_exchanges(const PlanBasis& basis, const Step& step, const Pairs& pairs);

// Potentials from those who solved for them to all ranks of the other beam: first `own`, among the
// beam that solved; then `crossing`, which sends these and stores what comes from the other beam;
// then `other`, among the beam that received.
struct Broadcast {
  comm::Exchanges own, crossing, other;
};
Broadcast broadcast_exchanges(const PlanBasis& basis, const Step& step, const Pairs& pairs);

}  // namespace phasewise::collision
