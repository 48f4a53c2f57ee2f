// A run of hydrodynamics as Python sees it.
#include <nanobind/nanobind.h>

#include "hydro/bindings_exact.hpp"
#include "hydro/run.hpp"

namespace nb = nanobind;

namespace phasewise::hydro {

void bind(nb::module_& m) {
  bind_exact(m);
  nb::class_<Run, workload::Run>(m, "HydroRun", "Timesteps of an ideal gas.")
      .def_prop_ro(
          "time", [](Run& run) { return run.turn_of_rank().time(); }, "The time reached.");
}

}  // namespace phasewise::hydro
