// The exchanges in which the potentials cross to the other beam.
#pragma once

#include "collision/dealing.hpp"
#include "collision/phase_kind.hpp"
#include "comm/exchange.hpp"

namespace phasewise::collision {

// From each rank that solved straight to all of the other beam's column, row or whole.
comm::Exchanges straight_crossings(const PlanBasis& basis, const PhaseKind& kind, const Step& step,
                                   const Pairs& pairs);
// From each rank to those that stand for it in the other beam.
comm::Exchanges mirror_crossings(const PlanBasis& basis, const PhaseKind& kind, const Step& step,
                                 const Pairs& pairs);

}  // namespace phasewise::collision
