// The quark monomials of a trajectory as Python sees them, for tests, on one box of one process.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "qcd/exchange/one_process.hpp"
#include "qcd/random_streams.hpp"
#include "qcd/update/quark/quark_monomial.hpp"
#include "qcd/update/quark/quark_monomials.hpp"

namespace nb = nanobind;

namespace phasewise::qcd {
namespace {

using GivenReals = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

Description description_of_box(const Extents& box, const std::array<double, axes>& phases,
                               const QuarkAction& action, const std::string& kernel,
                               const std::string& precision) {
  Description description;
  description.size = box;
  description.phases = phases;
  description.action = action;
  description.iterations = 10000;
  description.manner.kernel = kernel == "plain" ? Kernel::plain : Kernel::fast;
  description.manner.two_rows = kernel == "two rows";
  description.precision = precision == "mixed"    ? Precision::mixed
                          : precision == "single" ? Precision::single
                                                  : Precision::double_;
  return description;
}

class BoxOfMonomials {
 public:
  BoxOfMonomials(const Extents& box, const std::array<double, axes>& phases, double mass,
                 double clover, double twisted_mass, const std::vector<double>& hasenbusch,
                 double tolerance, const std::string& kernel, const std::string& precision,
                 int threads, bool determinant)
      : box_(box),
        description_(description_of_box(box, phases,
                                        {.mass = mass,
                                         .clover_spatial = clover,
                                         .clover_temporal = clover,
                                         .twisted_mass = twisted_mass},
                                        kernel, precision)),
        links_(box_.position.domain(), 0, true),
        fields_(box_.position, links_, 1, threads, kernel == "plain" ? 1 : parallel::lanes, true) {
    UpdateSetting setting;
    setting.hasenbusch = hasenbusch;
    setting.force_tolerance = setting.action_tolerance = tolerance;
    using enum QuarkSystem::Determinant;
    quarks_ = make_quark_monomials(description_, setting, fields_, determinant ? with : without);
    for (const auto& monomial : quarks_.monomials)
      monomial->set_control({.until = SolveControl::Until::converged});
  }

  void set_links(const GivenReals& links) {
    if (links.size() * sizeof(double) != static_cast<std::size_t>(links_.bytes()))
      throw std::invalid_argument("the links of the box are " + std::to_string(links_.bytes() / 8) +
                                  " numbers");
    std::memcpy(links_.data(), links.data(), static_cast<std::size_t>(links_.bytes()));
    ++fields_.version;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    found.reserve(quarks_.monomials.size());
    for (const auto& monomial : quarks_.monomials) found.emplace_back(monomial->name());
    return found;
  }
  void refresh(const std::string& name, std::int64_t trajectory) {
    named(name).refresh(trajectory, alone_);
  }
  double action(const std::string& name) { return named(name).action(alone_); }
  nb::object force(const std::string& name) {
    std::fill_n(fields_.momenta.data(), fields_.momenta.size(), Matrix{});
    named(name).force(-1.0, alone_);
    std::vector<double> reals(static_cast<std::size_t>(fields_.momenta.size() * matrix_reals));
    std::memcpy(reals.data(), fields_.momenta.data(), reals.size() * sizeof(double));
    return nb::cast(bindings::numpy(std::move(reals)));
  }
  nb::object norms(const std::string& name) {
    const auto& last = named(name).norms().last;
    return nb::cast(bindings::numpy(std::vector<double>(last.data(), last.data() + last.size())));
  }
  nb::object pseudofermion(const std::string& name) {
    return plain(dynamic_cast<QuarkMonomial&>(named(name)).pseudofermion());
  }
  nb::object drawn(int monomial, int vector, std::int64_t trajectory) {
    quarks_.system->take_links(alone_);
    Field<double> field = quarks_.system->field();
    draw_spinors(fields_, quarks_.system->sites(), streams::pseudofermions(monomial, vector),
                 trajectory, field, alone_);
    return plain(field);
  }
  std::vector<std::int64_t> counts(const std::string& name) {
    const SolveCounts& counts = named(name).counts();
    return {counts.solves, counts.iterations, counts.updates, counts.unconverged};
  }

 private:
  Monomial& named(const std::string& name) {
    for (const auto& monomial : quarks_.monomials)
      if (monomial->name() == name) return *monomial;
    throw std::invalid_argument("there is no monomial " + name);
  }
  nb::object plain(const Field<double>& field) {
    std::vector<double> reals(static_cast<std::size_t>(volume_of(box_.size) * spinor_reals));
    quarks_.system->matrix().hopping().kernel().write_spinors(field.data(), 0, reals.data());
    return nb::cast(bindings::numpy(std::move(reals)));
  }

  OneBox box_;
  Description description_;
  Links links_;
  OneProcess alone_;
  UpdateFields fields_;
  QuarkMonomials quarks_;
};

}  // namespace

void bind_update_quark(nb::module_& m) {
  nb::class_<BoxOfMonomials>(m, "QcdQuarkMonomials",
                             "The quark monomials of a trajectory in a box of one process.")
      .def(nb::init<const Extents&, const std::array<double, axes>&, double, double, double,
                    const std::vector<double>&, double, const std::string&, const std::string&, int,
                    bool>(),
           nb::arg("box"), nb::arg("phases") = std::array<double, axes>{}, nb::arg("mass") = 0.0,
           nb::arg("clover") = 0.0, nb::arg("twisted_mass") = 0.0,
           nb::arg("hasenbusch") = std::vector<double>{}, nb::arg("tolerance") = 1e-14,
           nb::arg("kernel") = "fast", nb::arg("precision") = "double", nb::arg("threads") = 1,
           nb::arg("determinant") = true,
           "kernel: fast, plain, or 'two rows' for 12 reals of a link. determinant: whether the "
           "heaviest monomial has that of the clover term.")
      .def("set_links", &BoxOfMonomials::set_links, nb::arg("links"),
           "Links [t][z][y][x][axis][3][3][re, im].")
      .def("names", &BoxOfMonomials::names, "The names of the monomials, in their order.")
      .def("refresh", &BoxOfMonomials::refresh, nb::arg("name"), nb::arg("trajectory"),
           "Draws the pseudofermions of a trajectory.")
      .def("action", &BoxOfMonomials::action, nb::arg("name"), "The term of the action.")
      .def("force", &BoxOfMonomials::force, nb::arg("name"),
           "F = i T_a dS/da of each link, flat, in the order of the links.")
      .def("norms", &BoxOfMonomials::norms, nb::arg("name"),
           "The squared norm of the last force of each link.")
      .def("pseudofermion", &BoxOfMonomials::pseudofermion, nb::arg("name"),
           "Phi on the even sites of the box, [t][z][y][x][spin][colour][re, im].")
      .def("drawn", &BoxOfMonomials::drawn, nb::arg("monomial"), nb::arg("vector"),
           nb::arg("trajectory"), "The random spinors of a monomial, in the order of Phi.")
      .def("counts", &BoxOfMonomials::counts, nb::arg("name"),
           "Solves, iterations, updates and solves that did not converge.");
}

}  // namespace phasewise::qcd
