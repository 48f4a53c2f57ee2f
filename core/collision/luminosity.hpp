// Cards of the luminosity's kernels.
#pragma once

#include "parallel/kernel.hpp"

namespace phasewise::collision {

// One item: a node of the charge between two planes, in rows of `ny`.
parallel::KernelCard effective_charge_card(int ny);
// One item: a node of the overlap of two charges, in rows of `ny`.
parallel::KernelCard overlap_card(int ny);

}  // namespace phasewise::collision
