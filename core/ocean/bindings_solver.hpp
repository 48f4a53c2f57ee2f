// Bindings of the blocks, the halo and the solver.
#pragma once

#include <nanobind/nanobind.h>

namespace phasewise::ocean {

void bind_solver(nanobind::module_& m);

}  // namespace phasewise::ocean
