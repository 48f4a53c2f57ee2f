// A run of collectives as Python sees it: it adds nothing to any run.
#include <nanobind/nanobind.h>

#include "collectives/run.hpp"

namespace nb = nanobind;

namespace phasewise::collectives {

void bind(nb::module_& m) {
  nb::class_<Run, workload::Run>(m, "CollectivesRun", "Collectives, one after the other.");
}

}  // namespace phasewise::collectives
