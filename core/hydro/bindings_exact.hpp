// Exact solutions in Python.
#pragma once

#include <nanobind/nanobind.h>

namespace phasewise::hydro {

void bind_exact(nanobind::module_& m);

}  // namespace phasewise::hydro
