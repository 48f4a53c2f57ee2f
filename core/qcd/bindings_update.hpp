// What bindings.cpp needs of the bindings of updates.
#pragma once

#include <nanobind/nanobind.h>

#include "qcd/run.hpp"

namespace phasewise::qcd {

void bind_update(nanobind::module_& m, nanobind::class_<Run, workload::Run>& run);

}  // namespace phasewise::qcd
