// Cards of the kernels. One item of a kernel of three dimensions is a level of a cell or a corner;
// of the others, a cell.
#pragma once

#include "ocean/row_loops.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::ocean {

// What the cards depend on: the kernel, and the cells of a block along x.
struct CardShape {
  Kernel kernel = Kernel::fast;
  double row = 1.0;
};

parallel::KernelCard extrapolate_card(const CardShape& shape);
parallel::KernelCard momentum_card(const CardShape& shape);
parallel::KernelCard friction_card(const CardShape& shape);
parallel::KernelCard integrate_card(const CardShape& shape);
parallel::KernelCard correct_card(const CardShape& shape);
parallel::KernelCard tracers_card(const CardShape& shape);
parallel::KernelCard mixing_card(const CardShape& shape);

// One item is a cell of the surface.
parallel::KernelCard operator_card();
parallel::KernelCard right_side_card(const CardShape& shape);
parallel::KernelCard surface_card(const CardShape& shape);
// One item is a level of a cell.
parallel::KernelCard measure_card(const CardShape& shape);

}  // namespace phasewise::ocean
