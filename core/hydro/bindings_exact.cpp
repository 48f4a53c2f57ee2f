// Exact solutions as functions of arrays.
#include "hydro/bindings_exact.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "hydro/description.hpp"
#include "hydro/exact.hpp"

namespace nb = nanobind;

namespace phasewise::hydro {
namespace {

using Given = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Points = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using State = std::array<double, 3>;  // density, velocity, pressure

Primitive primitive(const State& state) { return {state[0], state[2], {state[1], 0.0, 0.0}}; }

// Density, velocity along the first axis and pressure of `count` states, of which at(i) gives one.
template <class At>
nb::tuple profile(std::size_t count, At&& at) {
  std::vector<double> density, velocity, pressure;
  for (std::size_t i = 0; i < count; ++i) {
    const Primitive state = at(i);
    density.push_back(state.density);
    velocity.push_back(state.velocity[0]);
    pressure.push_back(state.pressure);
  }
  return nb::make_tuple(bindings::numpy(std::move(density)), bindings::numpy(std::move(velocity)),
                        bindings::numpy(std::move(pressure)));
}

void bind_riemann(nb::module_& m) {
  nb::class_<RiemannSolution>(m, "RiemannSolution", "Two states that meet at x = 0.")
      .def(
          "__init__",
          [](RiemannSolution* self, double gamma, const State& left, const State& right) {
            new (self) RiemannSolution(exact_riemann(gamma, primitive(left), primitive(right)));
          },
          nb::arg("gamma"), nb::arg("left"), nb::arg("right"),
          "States are density, velocity and pressure.")
      .def_ro("vacuum", &RiemannSolution::vacuum)
      .def_ro("pressure", &RiemannSolution::pressure)
      .def_ro("velocity", &RiemannSolution::velocity)
      .def_ro("density_left", &RiemannSolution::density_left)
      .def_ro("density_right", &RiemannSolution::density_right)
      .def_prop_ro("speeds",
                   [](const RiemannSolution& solution) {
                     return nb::make_tuple(solution.left_head, solution.left_tail,
                                           solution.right_tail, solution.right_head);
                   })
      .def("at", [](const RiemannSolution& solution, const Given& x_over_t) {
        return profile(x_over_t.size(), [&](std::size_t i) { return solution.at(x_over_t(i)); });
      });
}

void bind_implosions(nb::module_& m) {
  nb::class_<SedovSolution>(m, "SedovSolution", "A point explosion in a cold gas.")
      .def(nb::init<double, int, double, double>(), nb::arg("gamma"), nb::arg("dimensions"),
           nb::arg("density"), nb::arg("energy"))
      .def_prop_ro("alpha", &SedovSolution::alpha)
      .def("shock", &SedovSolution::shock, nb::arg("time"))
      .def("at", [](const SedovSolution& solution, const Given& r, double time) {
        return profile(r.size(), [&](std::size_t i) { return solution.at(r(i), time); });
      });
  nb::class_<NohSolution>(m, "NohSolution", "A cold gas that falls to a centre.")
      .def(nb::init<double, int>(), nb::arg("gamma"), nb::arg("dimensions"))
      .def("shock", &NohSolution::shock, nb::arg("time"))
      .def("at", [](const NohSolution& solution, const Given& r, double time) {
        return profile(r.size(), [&](std::size_t i) { return solution.at(r(i), time); });
      });
}

// The solution of a study's problem on its grid.
class StudySolution {
 public:
  explicit StudySolution(const std::string& parameters)
      : description_(workload::Parameters::parse(parameters)),
        solution_(Solution::of(description_.problem, description_.grid)) {}

  bool known() const { return solution_ != nullptr; }
  nb::tuple at(const Points& points, double time) const {
    if (!known()) throw nb::value_error("the problem has no solution in closed form");
    return profile(points.shape(0),
                   [&](std::size_t i) { return solution_->at(points.data() + 3 * i, time); });
  }

 private:
  Description description_;
  std::unique_ptr<const Solution> solution_;
};

void bind_solution(nb::module_& m) {
  nb::class_<StudySolution>(m, "HydroSolution", "The solution of a study of hydrodynamics.")
      .def(nb::init<const std::string&>(), nb::arg("parameters"))
      .def_prop_ro("known", &StudySolution::known)
      .def("at", &StudySolution::at, nb::arg("points"), nb::arg("time"),
           "Density, velocity along axis 1 and pressure at points, (N, 3) coordinates.");
}

}  // namespace

void bind_exact(nb::module_& m) {
  bind_riemann(m);
  bind_implosions(m);
  bind_solution(m);
}

}  // namespace phasewise::hydro
