// A run of solves as Python sees it: the part of this rank, and its links.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>

#include <cstring>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "lattice/run.hpp"

namespace nb = nanobind;

namespace phasewise::lattice {
namespace {

using Given = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

void set_links(Run& run, const Given& links) {
  const auto reals = static_cast<std::size_t>(run.domain().volume() * axes * 18);
  if (links.size() != reals)
    throw std::invalid_argument("the links of a rank are " + std::to_string(reals) +
                                " numbers, and " + std::to_string(links.size()) + " were given");
  run.set_links(reinterpret_cast<const Matrix*>(links.data()));
}

nb::object own_links(Run& run) {
  const std::vector<Matrix> links = run.own_links();
  std::vector<double> reals(links.size() * 18);
  std::memcpy(reals.data(), links.data(), reals.size() * sizeof(double));
  return nb::cast(bindings::numpy(std::move(reals)));
}

}  // namespace

void bind(nb::module_& m) {
  nb::class_<Run, workload::Run>(m, "LatticeRun",
                                 "Solves with the Wilson matrix, one after another.")
      .def_prop_ro(
          "extents", [](const Run& run) { return run.domain().extents(); },
          "Extents of this rank's part, x y z t.")
      .def_prop_ro(
          "origin",
          [](const Run& run) {
            const Domain& d = run.domain();
            return Extents{d.origin(0), d.origin(1), d.origin(2), d.origin(3)};
          },
          "Where it begins in the lattice.")
      .def("set_links", &set_links, nb::arg("links"),
           "This rank's links, [t][z][y][x][axis][3][3][re, im].")
      .def("links", &own_links, "This rank's links, flat, in the order of set_links.");
}

}  // namespace phasewise::lattice
