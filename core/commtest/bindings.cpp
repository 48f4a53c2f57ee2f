// A run of exchanges between pairs as Python sees it: what arrived at this rank.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "commtest/turn.hpp"

namespace nb = nanobind;

namespace phasewise::commtest {

using Run = workload::PlannedRun<Turn>;

void bind(nb::module_& m) {
  nb::class_<Run, workload::Run>(m, "CommtestRun", "Exchanges between pairs, one after the other.")
      .def(
          "arrived",
          [](Run& run) {
            const auto bytes = run.turn_of_rank().arrived();
            return nb::bytes(bytes.data(), bytes.size());
          },
          "The last message that arrived at this rank; empty where none does.");
}

}  // namespace phasewise::commtest
