// A run of hydrodynamics as Python sees it: this rank's zones.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "hydro/bindings_exact.hpp"
#include "hydro/run.hpp"

namespace nb = nanobind;

namespace phasewise::hydro {
namespace {

std::vector<std::vector<int>> box_of(Run& run) {
  const Box box = run.turn_of_rank().zones().box;
  std::vector<std::vector<int>> result;
  for (int axis = 0; axis < run.description().grid.dimensions(); ++axis)
    result.push_back({box.along[axis].first, box.along[axis].second});
  return result;
}

nb::object field_of(Run& run, const std::string& name) {
  const Zones zones = run.turn_of_rank().zones();
  const auto* const found = std::ranges::find(field::names, name);
  if (found >= field::names + field::flattening)
    throw std::invalid_argument("there is no field " + name +
                                ": give density, pressure, velocity1, velocity2 or velocity3");
  const double* values = zones.values + (found - field::names) * zones.box.zones();
  return nb::cast(bindings::numpy(std::vector<double>(values, values + zones.box.zones())));
}

}  // namespace

void bind(nb::module_& m) {
  bind_exact(m);
  nb::class_<Run, workload::Run>(m, "HydroRun", "Timesteps of an ideal gas.")
      .def_prop_ro(
          "time", [](Run& run) { return run.turn_of_rank().time(); }, "The time reached.")
      .def_prop_ro("box", &box_of,
                   "This rank's zones along each axis, from the first to one after the last. They "
                   "may change in a step.")
      .def("field", &field_of, nb::arg("name"),
           "density, pressure, velocity1, velocity2 or velocity3 of this rank's zones, flat, with "
           "those along axis 1 next to each other.");
}

}  // namespace phasewise::hydro
