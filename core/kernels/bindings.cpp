// A run of a serial kernel as Python sees it: the eigenvalues that it found.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "kernels/turn.hpp"

namespace nb = nanobind;

namespace phasewise::kernels {

using Run = workload::PlannedRun<Turn>;

void bind(nb::module_& m) {
  nb::class_<Run, workload::Run>(m, "KernelsRun", "Turns of a serial kernel.")
      .def(
          "eigenvalues", [](Run& run) { return run.turn_of_rank().eigenvalues(); },
          "The smallest eigenvalues that lanczos found in the last turn, ascending.");
}

}  // namespace phasewise::kernels
