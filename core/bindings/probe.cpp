// The machine's roof for the benchmarks.
#include <nanobind/nanobind.h>

#include "probe/roof.hpp"

namespace nb = nanobind;

void bind_probe(nb::module_& m) {
  m.def(
      "measure_roof",
      [](int threads) {
        const phasewise::probe::Roof roof = phasewise::probe::measure_roof(threads);
        nb::dict result;
        result["bytes_per_second"] = roof.bytes_per_second;
        result["flops_per_second"] = roof.flops_per_second;
        result["single_flops_per_second"] = roof.single_flops_per_second;
        return result;
      },
      nb::arg("threads") = 1, "Memory bandwidth (triad) and fused multiply-add rate of this rank.");
  m.def("measure_present_rate", &phasewise::probe::measure_present_rate, nb::arg("threads") = 1,
        "Fused multiply-add rate of this rank just now, the median of a millisecond or two.");
  m.def("measure_bandwidth", &phasewise::probe::measure_bandwidth, nb::arg("threads"),
        nb::arg("bytes"), "Bytes per second on arrays of this size, of this rank's threads.");
}
