// Binds the radiation and the adjustment of arrays of columns.
#pragma once

#include <nanobind/nanobind.h>

namespace phasewise::atmosphere {

void bind_radiation(nanobind::module_& m);

}  // namespace phasewise::atmosphere
