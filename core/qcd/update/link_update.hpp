// What changes all links of an update at once.
#pragma once

#include <cstdint>

#include "qcd/update/momenta.hpp"

namespace phasewise::qcd {

// An item is a link.
parallel::KernelCard link_update_card();
parallel::KernelCard reunitarise_card();

// U ← exp(step P) U for the own links. Their halo is old then.
void update_links(UpdateFields& fields, double step, workload::Listener& listener);

// Links of which an element of U U† is further from 1, or a third row further from the one that
// follows from the others, have left SU(3).
inline constexpr double left_group = 1e-12;

// Puts links back into SU(3) that have left it, and those of the halo with the same result as their
// owner. Returns the number of own links that had left.
std::int64_t reunitarise(UpdateFields& fields, workload::Listener& listener);

}  // namespace phasewise::qcd
