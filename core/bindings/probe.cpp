// The machine's roof for the benchmarks, how far its cores are from each other, and what a device
// can do.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "probe/core_distance.hpp"
#include "probe/device.hpp"
#include "probe/roof.hpp"

namespace nb = nanobind;

namespace {

nb::dict as_dict(const phasewise::probe::DeviceRates& rates) {
  nb::list copies;
  for (const phasewise::probe::DeviceCopy& copy : rates.copies) {
    nb::dict one;
    one["bytes"] = copy.bytes;
    one["in"] = copy.in;
    one["out"] = copy.out;
    copies.append(one);
  }
  nb::dict result;
  result["name"] = rates.name;
  result["memory"] = rates.memory;
  result["bytes_per_second"] = rates.bytes_per_second;
  result["flops_per_second"] = rates.flops_per_second;
  result["additions_per_second"] = rates.additions_per_second;
  result["launch_seconds"] = rates.launch_seconds;
  result["wait_seconds"] = rates.wait_seconds;
  result["copies"] = copies;
  return result;
}

}  // namespace

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
        "The present fused multiply-add rate of this rank, the median of a millisecond or two.");
  m.def("measure_present_bandwidth", &phasewise::probe::measure_present_bandwidth,
        nb::arg("threads") = 1,
        "The present memory bandwidth (triad) of this rank, the mean over a tenth of a second.");
  m.def("measure_bandwidth", &phasewise::probe::measure_bandwidth, nb::arg("threads"),
        nb::arg("bytes"), "Bytes per second of this rank's threads on arrays of this size.");
  m.def("seconds_between_cores", &phasewise::probe::seconds_between_cores, nb::arg("first"),
        nb::arg("second"),
        "The seconds that a cache line takes from one core to another; NaN where threads cannot be "
        "bound to them.");
  m.def(
      "measure_device",
      [](bool cuda, int number) {
        return as_dict(cuda ? phasewise::probe::measure_cuda(number)
                            : phasewise::probe::measure_emulated());
      },
      nb::arg("cuda"), nb::arg("number") = 0,
      "What the GPU of this number, or the emulated device, can do: `name`, `memory` [B], "
      "`bytes_per_second`, `flops_per_second`, `additions_per_second` (to shared values), "
      "`launch_seconds`, `wait_seconds`, and `copies`, each with `bytes` and the seconds `in` and "
      "`out`.");
}
