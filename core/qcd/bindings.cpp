// A run of solves as Python sees it: this rank's part, and its links.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "qcd/bindings_update.hpp"
#include "qcd/run.hpp"

namespace nb = nanobind;

namespace phasewise::qcd {
namespace {

using Given = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

void check_part(const Run& run, const char* what, std::size_t given, std::int64_t of_site) {
  const std::int64_t reals = run.domain().volume() * of_site;
  if (given != static_cast<std::size_t>(reals))
    throw std::invalid_argument(std::string(what) + " of a rank are " + std::to_string(reals) +
                                " numbers, and " + std::to_string(given) + " were given");
}

void set_links(Run& run, const Given& links) {
  check_part(run, "the links", links.size(), axes * 18);
  run.set_links(reinterpret_cast<const Matrix*>(links.data()));
}

nb::object dirac(Run& run, const Given& psi, bool dagger) {
  check_part(run, "the spinors", psi.size(), 24);
  return nb::cast(bindings::numpy(run.dirac(psi.data(), dagger)));
}

nb::object solve(Run& run, const Given& b) {
  check_part(run, "the spinors", b.size(), 24);
  auto x = nb::cast(bindings::numpy(run.solve_for({b.data(), b.data() + b.size()})));
  const Solved& solved = run.solved();
  return nb::make_tuple(x, solved.iterations, solved.residual, run.converged(), solved.residuals);
}

nb::object own_links(Run& run) {
  const std::vector<Matrix> links = run.own_links();
  std::vector<double> reals(links.size() * 18);
  std::memcpy(reals.data(), links.data(), reals.size() * sizeof(double));
  return nb::cast(bindings::numpy(std::move(reals)));
}

}  // namespace

void bind_gauge(nb::module_& m);
void bind_quark(nb::module_& m);
void bind_dirac(nb::module_& m);
void bind_update_quark(nb::module_& m);
void bind_sweeps(nb::module_& m);

void bind(nb::module_& m) {
  bind_gauge(m);
  bind_quark(m);
  bind_dirac(m);
  bind_update_quark(m);
  bind_sweeps(m);
  nb::class_<Run, workload::Run> run(m, "QcdRun",
                                     "Solves with the Wilson matrix, or updates, in turn.");
  bind_update(m, run);
  run.def_prop_ro(
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
      .def("take_links", &Run::take_links, "Measures new links, and hands them to the quarks.")
      .def("dirac", &dirac, nb::arg("psi"), nb::arg("dagger") = false,
           "D psi of this rank's spinors, [t][z][y][x][spin][colour][re, im]; collective.")
      .def("solve", &solve, nb::arg("b"),
           "x of D x = b, each rank its spinors, in the order of dirac; iterations; "
           "|b - D x| / |b|; whether it converged; the residual of the solver's system after each "
           "iteration. Collective.")
      .def(
          "source",
          [](const Run& run, int spin, int colour) {
            return nb::cast(bindings::numpy(run.source(spin, colour)));
          },
          nb::arg("spin"), nb::arg("colour"),
          "This rank's part of the study's source on the links that were taken.")
      .def("links", &own_links, "This rank's links, flat, in the order of set_links.");
}

}  // namespace phasewise::qcd
