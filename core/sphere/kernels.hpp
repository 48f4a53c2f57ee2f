// Cards of the kernels. Width: the doubles of one parity of a column, 2 fields · levels.
#pragma once

#include "parallel/kernel.hpp"
#include "sphere/description.hpp"

namespace phasewise::sphere {

// One item is a row: a field at a level of a pair of latitudes. `forward` transforms it, and makes
// a product first if there are `products`; `backward` transforms back.
parallel::KernelCard forward_card(const Description& description, bool products);
parallel::KernelCard backward_card(const Description& description);
// One item is a Legendre function at a pair of latitudes, times its columns of these fields. The
// analysis of products also combines them, in each of some groups of latitudes, and adds the groups
// up without rounding if there are several.
parallel::KernelCard analysis_card(const Description& description, int groups);
parallel::KernelCard analysis_of_fields_card(const Description& description, int fields);
parallel::KernelCard synthesis_card(const Description& description, int fields);

}  // namespace phasewise::sphere
