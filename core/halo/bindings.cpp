// A run of halo exchanges as Python sees it: the array of this rank.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "halo/run.hpp"

namespace nb = nanobind;

namespace phasewise::halo {
namespace {

nb::ndarray<nb::numpy, double, nb::ndim<2>> array_of(nb::object self) {
  Run& run = nb::cast<Run&>(self);
  const auto width = static_cast<std::size_t>(run.description().width());
  return {run.array(), {width, width}, self};
}

}  // namespace

void bind(nb::module_& m) {
  nb::class_<Run, workload::Run>(m, "HaloRun", "Halo exchanges, one after the other.")
      .def("array", &array_of,
           "This rank's array with its halo, [y][x], without a copy; the first and the last "
           "`rows` rows and columns are the halo.");
}

}  // namespace phasewise::halo
