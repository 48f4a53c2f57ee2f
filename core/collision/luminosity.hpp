// Cards of the luminosity's kernels.
#pragma once

#include "parallel/kernel.hpp"

namespace phasewise::collision {

// One item: a node of the charge between two planes.
parallel::KernelCard effective_charge_card();
// One item: a node of the overlap of two charges.
parallel::KernelCard overlap_card();

}  // namespace phasewise::collision
