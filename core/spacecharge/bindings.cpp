// A run with space charge as Python sees it: the particles of this rank.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <utility>
#include <vector>

#include "beam/closed_orbit.hpp"
#include "bindings/arrays.hpp"
#include "bindings/particles.hpp"
#include "spacecharge/matching.hpp"
#include "spacecharge/run.hpp"

namespace nb = nanobind;

namespace phasewise::spacecharge {
namespace {

nb::dict particles_of(const nb::object& self) {
  Run& run = nb::cast<Run&>(self);
  if (!run.bunch().particles) return {};
  return bindings::arrays_of(run.bunch().particles->view(), self);
}

nb::dict matched(const std::string& text) {
  const Description description(workload::Parameters::parse(text));
  const beam::ProfileDescription& bunch = description.profile;
  auto found = matched_with_charge(
      description, beam::closed_orbit(description.elements()).start,
      {bunch.x.emittance, bunch.y.emittance, bunch.bunch_length, bunch.momentum_spread});
  std::vector<double> columns;
  for (const auto& row : found.columns) columns.insert(columns.end(), row.begin(), row.end());
  nb::dict result;
  result["columns"] = bindings::to_array(std::move(columns), {6, 6});
  const std::size_t modes = found.phases.size();
  result["phases"] = bindings::to_array(std::move(found.phases), {modes});
  return result;
}

}  // namespace

void bind(nb::module_& m) {
  nb::class_<Run, workload::Run>(m, "SpaceChargeRun", "A bunch with space charge in a lattice.")
      .def("particles", &particles_of,
           "This rank's living particles, without a copy: x px y py z delta and id, in any order; "
           "valid until the next step.");
  m.def("matched_with_charge", &matched, nb::arg("parameters"),
        "The bunch that is matched to the lattice with the linear force of its charge: columns (6, "
        "6), whose sum with deviates of rms 1 is a particle; phases of its modes in a passage "
        "[turns, within ±1/2]. ValueError if there is none.");
}

}  // namespace phasewise::spacecharge
