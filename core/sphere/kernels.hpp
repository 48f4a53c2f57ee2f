// Cards of the kernels. Width: the doubles of one parity of a column, 2 fields · levels.
#pragma once

#include "parallel/kernel.hpp"
#include "sphere/description.hpp"

namespace phasewise::sphere {

// One item is a row: a field at a level of a pair of latitudes. `forward` makes the products and
// transforms them, `backward` transforms back.
parallel::KernelCard forward_card(const Description& description);
parallel::KernelCard backward_card(const Description& description);
// One item is a Legendre function at a pair of latitudes, times its columns. `analysis` adds the
// groups of latitudes up without rounding, if they are to be.
parallel::KernelCard analysis_card(const Description& description, double group_share);
parallel::KernelCard synthesis_card(const Description& description);
// One item is a coefficient (m, l) of the state at a level.
parallel::KernelCard advance_card();
// One item is a point of the grid at a level.
parallel::KernelCard diagnose_card();

}  // namespace phasewise::sphere
