// A run of solves as Python sees it: this rank's part, and its links.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>

#include <cstring>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "qcd/exchange/one_process.hpp"
#include "qcd/run.hpp"

namespace nb = nanobind;

namespace phasewise::qcd {
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

// What is measured on the links of a whole lattice, and the largest deviation of U U† from 1.
nb::dict gauge_values(const Given& given, const Extents& size) {
  const OneBox box(size);
  Links links(box.position.domain(), 0, true);
  if (given.size() != static_cast<std::size_t>(links.bytes()) / sizeof(double))
    throw std::invalid_argument("the links do not have the lattice's size");
  std::memcpy(links.data(), given.data(), given.size() * sizeof(double));
  GaugeMeasurement measurement(box.position, true, 1, true);
  OneProcess listener;
  measurement.tell(links, listener);
  double deviation = 0.0;
  for_each_site(size, [&](const Extents& at) {
    for (int mu = 0; mu < axes; ++mu)
      deviation = std::fmax(deviation, deviation_from_unitary(links.at(at, mu)));
  });
  const GaugeValues& values = measurement.values();
  nb::dict found;
  found["plaquette"] = values.plaquette();
  found["plaquette_space"] = values.plaquette_space;
  found["plaquette_time"] = values.plaquette_time;
  found["rectangle"] = values.rectangle;
  found["link_trace"] = values.link_trace;
  nb::list loops;
  for (const Complex& loop : values.polyakov) loops.append(nb::make_tuple(loop.re, loop.im));
  found["polyakov"] = loops;
  found["unitarity"] = deviation;
  return found;
}

nb::object stout_links(const Given& given, const Extents& size, double weight, int steps) {
  const OneBox box(size);
  Links links(box.position.domain(), 0, true), next(box.position.domain(), 0, true);
  if (given.size() != static_cast<std::size_t>(links.bytes()) / sizeof(double))
    throw std::invalid_argument("the links do not have the lattice's size");
  std::memcpy(links.data(), given.data(), given.size() * sizeof(double));
  for (int step = 0; step < steps; ++step) {
    stout_step(links, weight, 1, next);
    std::swap(links, next);
  }
  std::vector<double> reals(given.size());
  std::memcpy(reals.data(), links.data(), reals.size() * sizeof(double));
  return nb::cast(bindings::numpy(std::move(reals)));
}

}  // namespace

void bind_quark(nb::module_& m);
void bind_dirac(nb::module_& m);

void bind(nb::module_& m) {
  bind_quark(m);
  bind_dirac(m);
  nb::class_<Run, workload::Run>(m, "QcdRun", "Solves with the Wilson matrix, one after another.")
      .def_prop_ro(
          "extents", [](const Run& run) { return run.domain().extents(); },
          "Extents of this rank's part, x y z t.")
      .def_prop_ro(
          "origin",
          [](const Run& run) {
            const Domain& d = run.domain();
            return Extents{d.origin(0), d.origin(1), d.origin(2), d.origin(3)};
          },
          "Where this rank's part begins in the lattice.")
      .def("set_links", &set_links, nb::arg("links"),
           "This rank's links, [t][z][y][x][axis][3][3][re, im].")
      .def("links", &own_links, "This rank's links, flat, in the order of set_links.");
  m.def("stout_links", &stout_links, nb::arg("links"), nb::arg("size"), nb::arg("weight"),
        nb::arg("steps") = 1, "Stout links of a whole lattice, in the order of set_links.");
  m.def("gauge_values", &gauge_values, nb::arg("links"), nb::arg("size"),
        "What is measured on the links of a whole lattice, in the order of set_links: plaquettes, "
        "rectangle, link trace and Polyakov loops, 1 for unit matrices; unitarity, the largest "
        "deviation of an element of U U+ from 1.");
}

}  // namespace phasewise::qcd
