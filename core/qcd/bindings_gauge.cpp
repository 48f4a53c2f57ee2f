// Links as Python sees them: into SU(3), smeared, and what is measured on them, at once or slice by
// slice.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "qcd/exchange/one_process.hpp"
#include "qcd/gauge/gauge_measurement.hpp"
#include "qcd/gauge/gauge_slices.hpp"
#include "qcd/gauge/gradient_flow.hpp"
#include "qcd/gauge/stout.hpp"

namespace nb = nanobind;

namespace phasewise::qcd {
namespace {

using Given = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Changed = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

constexpr std::size_t link_reals = 18;
// Links that deviate less than this are in SU(3) to rounding, and are left as they are.
constexpr double rounding = 1e-14;

Matrix* links_in(const Changed& given) {
  if (given.size() % link_reals != 0)
    throw std::invalid_argument("links are 18 numbers each, and " + std::to_string(given.size()) +
                                " numbers were given");
  return reinterpret_cast<Matrix*>(given.data());
}

void complete_links(const Changed& given) {
  Matrix* links = links_in(given);
  for (std::size_t i = 0; i < given.size() / link_reals; ++i) complete(links[i]);
}

// Whether the first two rows may have been numbers of single precision.
bool was_single(const Matrix& link) {
  const auto fits = [](double real) {
    return static_cast<double>(static_cast<float>(real)) == real;
  };
  for (int i = 0; i < 2; ++i)
    for (const Complex& e : link.e[i])
      if (!fits(e.re) || !fits(e.im)) return false;
  return true;
}

// The largest deviations from U U† = 1 and of third rows: of all links, and of those that never
// were in single precision.
nb::tuple into_special_unitary(const Changed& given) {
  Matrix* links = links_in(given);
  double unitary[2]{}, special[2]{};
  for (std::size_t i = 0; i < given.size() / link_reals; ++i) {
    const double from_unitary = deviation_from_unitary(links[i]);
    const double from_special = deviation_from_special(links[i]);
    const int kinds = was_single(links[i]) ? 1 : 2;
    for (int kind = 0; kind < kinds; ++kind) {
      unitary[kind] = std::fmax(unitary[kind], from_unitary);
      special[kind] = std::fmax(special[kind], from_special);
    }
    if (from_unitary > rounding || from_special > rounding) make_special_unitary(links[i]);
  }
  return nb::make_tuple(unitary[0], special[0], unitary[1], special[1]);
}

nb::dict named(const GaugeValues& values) {
  nb::dict found;
  found["plaquette"] = values.plaquette();
  found["plaquette_space"] = values.plaquette_space;
  found["plaquette_time"] = values.plaquette_time;
  found["rectangle"] = values.rectangle;
  found["link_trace"] = values.link_trace;
  nb::list loops;
  for (const Complex& loop : values.polyakov) loops.append(nb::make_tuple(loop.re, loop.im));
  found["polyakov"] = loops;
  return found;
}

const Matrix* links_of(const Given& given, std::int64_t sites) {
  if (given.size() != static_cast<std::size_t>(sites * axes) * link_reals)
    throw std::invalid_argument("the links do not have the slice's size");
  return reinterpret_cast<const Matrix*>(given.data());
}

std::vector<double> sums_of(const GaugeSlices& slices) {
  const LoopSums sums = slices.sums();
  return {sums.front().data(), sums.front().data() + 2 * sums.size()};
}

nb::dict loop_means(const std::vector<double>& sums, const Extents& size) {
  LoopSums all{};
  if (sums.size() != 2 * all.size()) throw std::invalid_argument("these are no sums of loops");
  std::copy(sums.begin(), sums.end(), all.front().data());
  return named(values_of(all, size));
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
  nb::dict found = named(measurement.values());
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
    stout_step(links, weight, 1, parallel::lanes, next);
    std::swap(links, next);
  }
  std::vector<double> reals(given.size());
  std::memcpy(reals.data(), links.data(), reals.size() * sizeof(double));
  return nb::cast(bindings::numpy(std::move(reals)));
}

// Values after 0, 1, … steps of the flow of a whole lattice, and the links after the last one.
nb::dict gradient_flow(const Given& given, const Extents& size, double step, int steps, int threads,
                       bool fast) {
  if (steps < 1) throw std::invalid_argument("a flow has at least one step");
  const OneBox box(size);
  const Domain domain = box.position.domain();
  Links links(domain, 0, true);
  if (given.size() != static_cast<std::size_t>(links.bytes()) / sizeof(double))
    throw std::invalid_argument("the links do not have the lattice's size");
  std::memcpy(links.data(), given.data(), given.size() * sizeof(double));
  GradientFlow flow(domain, {step, steps}, 0, threads, fast ? parallel::lanes : 1, true);
  OneProcess listener;
  flow.tell(links, listener, [](Links&, workload::Listener&) {});
  nb::dict found;
  const auto series = [&](const char* name, double FlowValues::*value) {
    std::vector<double> values;
    for (const FlowValues& one : flow.values()) values.push_back(one.*value);
    found[name] = bindings::numpy(std::move(values));
  };
  series("energy_space", &FlowValues::energy_space);
  series("energy_time", &FlowValues::energy_time);
  series("charge", &FlowValues::charge);
  series("plaquette", &FlowValues::plaquette);
  std::vector<double> reals(given.size());
  std::memcpy(reals.data(), flow.links().matrices(), reals.size() * sizeof(double));
  found["links"] = bindings::numpy(std::move(reals));
  return found;
}

}  // namespace

void bind_gauge(nb::module_& m) {
  nb::class_<GaugeSlices>(m, "QcdSlices",
                          "What is measured on the links of a box, slice by slice in time.")
      .def(nb::init<const Extents&, const Extents&, const Extents&, bool>(), nb::arg("size"),
           nb::arg("grid"), nb::arg("place"), nb::arg("rectangles"))
      .def_prop_ro("ahead", &GaugeSlices::ahead, "Slices needed beyond the one that is measured.")
      .def(
          "push",
          [](GaugeSlices& slices, const Given& links) {
            slices.push(links_of(links, slices.slice()));
          },
          nb::arg("links"), "The next slice of the box, [z][y][x][axis][3][3][re, im].")
      .def(
          "put",
          [](GaugeSlices& slices, const Extents& first, const Extents& region, const Given& links) {
            slices.put(first, region, links_of(links, volume_of(region)));
          },
          nb::arg("first"), nb::arg("region"), nb::arg("links"),
          "Links beyond the box, in the slice that is measured, from local coordinates on.")
      .def("add", &GaugeSlices::add, "Adds what begins in the slice pushed `ahead` slices ago.")
      .def("sums", &sums_of, "The sums, which those of other boxes can be added to.");
  m.def("loop_means", &loop_means, nb::arg("sums"), nb::arg("size"),
        "What gauge_values gives but unitarity, from the sums of all boxes of a lattice.");
  m.def("complete_links", &complete_links, nb::arg("links"),
        "Computes third rows from the others, in place; links are [...][3][3][re, im].");
  m.def("into_special_unitary", &into_special_unitary, nb::arg("links"),
        "Puts links into SU(3) in place: the first row keeps its direction. Returns the largest "
        "deviations before that from U U+ = 1 and of a third row from the one that follows from "
        "the others, and the same of links whose first rows do not fit into single precision.");
  m.def("stout_links", &stout_links, nb::arg("links"), nb::arg("size"), nb::arg("weight"),
        nb::arg("steps") = 1, "Stout links of a whole lattice, in the order of set_links.");
  m.def("gradient_flow", &gradient_flow, nb::arg("links"), nb::arg("size"), nb::arg("step"),
        nb::arg("steps"), nb::arg("threads") = 1, nb::arg("fast") = true,
        "The gradient flow of a whole lattice, links in the order of set_links: energy_space and "
        "energy_time of a site, charge, and plaquette after 0, 1, … steps (steps+1,), and the "
        "links after the last one. Without `fast` sites are taken one at a time, with the same "
        "bits.");
  m.def("gauge_values", &gauge_values, nb::arg("links"), nb::arg("size"),
        "What is measured on the links of a whole lattice, in the order of set_links: plaquettes, "
        "rectangle, link trace and Polyakov loops, 1 for unit matrices; unitarity, the largest "
        "deviation of an element of U U+ from 1.");
}

}  // namespace phasewise::qcd
