// The exchanges in which the potentials cross to the other beam.
#pragma once

#include "collision/exchange/dealing.hpp"
#include "collision/exchange/phase_kind.hpp"
#include "exchange/exchange.hpp"

namespace phasewise::collision {

// Each rank that solved sends directly to all ranks of the other beam's column, row, or whole beam.
exchange::Exchanges straight_crossings(const PlanBasis& basis, const PhaseKind& kind,
                                       const Step& step, const Pairs& pairs);
// Each rank sends to its counterparts in the other beam, which then share the data.
exchange::Exchanges mirror_crossings(const PlanBasis& basis, const PhaseKind& kind,
                                     const Step& step, const Pairs& pairs);

}  // namespace phasewise::collision
