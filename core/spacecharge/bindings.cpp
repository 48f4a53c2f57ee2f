// A run with space charge as Python sees it: the particles of this rank.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"
#include "spacecharge/run.hpp"

namespace nb = nanobind;

namespace phasewise::spacecharge {
namespace {

nb::dict particles_of(nb::object self) {
  Run& run = nb::cast<Run&>(self);
  nb::dict result;
  if (!run.bunch().particles) return result;
  const beam::ParticleView view = run.bunch().particles->view();
  const auto size = static_cast<std::size_t>(view.size);
  const auto add = [&](const char* name, auto* values) {
    using Value = std::remove_pointer_t<decltype(values)>;
    result[name] = nb::ndarray<nb::numpy, Value, nb::ndim<1>>(values, {size}, self);
  };
  add("x", view.x);
  add("px", view.px);
  add("y", view.y);
  add("py", view.py);
  add("z", view.z);
  add("delta", view.delta);
  add("id", view.id);
  return result;
}

}  // namespace

void bind(nb::module_& m) {
  nb::class_<Run, workload::Run>(m, "SpaceChargeRun", "A bunch with space charge in a lattice.")
      .def("particles", &particles_of,
           "This rank's living particles, without a copy: x px y py z delta and id, in any order; "
           "valid until the next step.");
}

}  // namespace phasewise::spacecharge
