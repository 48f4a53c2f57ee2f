// Trajectories as Python sees them, for tests.
#include "qcd/bindings_update.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "qcd/update/integrator.hpp"

namespace nb = nanobind;

namespace phasewise::qcd {
namespace {

Integrator integrator_named(const std::string& name) {
  if (name == "leapfrog") return Integrator::leapfrog;
  if (name == "omelyan-2") return Integrator::omelyan_2;
  if (name == "omelyan-4") return Integrator::omelyan_4;
  throw std::invalid_argument("there is no integrator '" + name + "'");
}

nb::list schedule(const std::string& integrator, double length, const std::vector<int>& steps) {
  nb::list moves;
  for (const Move& move : schedule_of(integrator_named(integrator), length, steps))
    moves.append(nb::make_tuple(move.level, move.time));
  return moves;
}

nb::object force_of(Run& run, const std::string& monomial) {
  const std::vector<Matrix> force = run.force_of(monomial);
  std::vector<double> reals(force.size() * 18);
  std::memcpy(reals.data(), force.data(), reals.size() * sizeof(double));
  return nb::cast(bindings::numpy(std::move(reals)));
}

}  // namespace

void bind_update(nb::module_& m, nb::class_<Run, workload::Run>& run) {
  m.def("qcd_schedule", &schedule, nb::arg("integrator"), nb::arg("length"), nb::arg("steps"),
        "The moves of a trajectory: level of the momenta's force, or -1 for the links, and time.");
  run.def("monomials", &Run::monomials, "The names of the action's terms.")
      .def("refresh", &Run::refresh, nb::arg("number"),
           "Draws momenta and pseudofermions of the trajectory with this number; collective, as "
           "are all that follow.")
      .def("action", &Run::action_of, nb::arg("monomial"), "A term of the action, of all ranks.")
      .def("force", &force_of, nb::arg("monomial"),
           "The force of a term on this rank's links, flat, in the order of set_links: "
           "i sum T_a dS/da.")
      .def("there_and_back", &Run::there_and_back, nb::arg("number"),
           "Goes along a trajectory and back. Returns the change of H there, and of both ways.");
}

}  // namespace phasewise::qcd
