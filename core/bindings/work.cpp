// The work of a turn as Python sees it: counted without MPI.
#include "driver/work.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace {

using namespace phasewise;

nb::list work(const std::string& parameters, int ranks, double meshes) {
  nb::list result;
  for (const driver::KernelWork& kernel :
       driver::planned_work(driver::Parameters::parse(parameters), ranks, meshes)) {
    nb::dict entry;
    entry["name"] = kernel.name;
    entry["ip"] = kernel.ip;
    entry["items"] = kernel.items;
    entry["flops"] = kernel.flops;
    entry["bytes"] = kernel.bytes;
    entry["load"] = kernel.load;
    result.append(entry);
  }
  return result;
}

}  // namespace

void bind_work(nb::module_& m) {
  m.def("work", &work, nb::arg("parameters"), nb::arg("ranks"), nb::arg("meshes") = 0.0,
        "What each kernel does in a turn at each interaction point (ip, from 1), on the mean rank: "
        "items, flops, bytes; load: of the rank with most, step by step, over the mean. meshes: "
        "new Green functions in the turn. ValueError where the study does not fit the ranks.");
}
