// The Dirac operator and its solvers as Python sees them, for tests and benchmarks, on one box.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "parallel/clock.hpp"
#include "qcd/dirac/link_factors.hpp"
#include "qcd/exchange/one_process.hpp"
#include "qcd/solver/plain_fields.hpp"

namespace nb = nanobind;

namespace phasewise::qcd {
namespace {

using Plain = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Values = std::vector<double>;

nb::object numpy_of(Values values) {
  auto* kept = new Values(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Values*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

Description description_of(const Extents& box, const std::array<double, axes>& phases,
                           const QuarkAction& action, const std::string& kernel) {
  Description description;
  description.size = box;
  description.phases = phases;
  description.action = action;
  description.manner.kernel = kernel == "plain" ? Kernel::plain : Kernel::fast;
  return description;
}

void check_reals(const char* what, std::size_t given, std::int64_t wanted) {
  if (given != static_cast<std::size_t>(wanted))
    throw std::invalid_argument(std::string(what) + " are " + std::to_string(wanted) +
                                " numbers, and " + std::to_string(given) + " were given");
}

class BoxOfQuarks {
 public:
  BoxOfQuarks(const Extents& box, const Plain& links, const std::array<double, axes>& phases,
              double mass, double anisotropy, double velocity, double clover_spatial,
              double clover_temporal, double twisted_mass, const std::string& kernel, int threads)
      : box_(box),
        description_(description_of(
            box, phases,
            {mass, anisotropy, velocity, clover_spatial, clover_temporal, twisted_mass}, kernel)),
        threads_(threads),
        links_(box_.position.domain(), 0, true) {
    check_reals("the links of the box", links.size(), volume_of(box) * site_link_doubles);
    std::memcpy(links_.data(), links.data(), links.size() * sizeof(double));
    make_solver("cg", "double");
  }

  nb::object dirac(const Plain& psi, bool dagger) {
    check_spinors(psi);
    return numpy_of(applied(solver_->matrix(), psi.data(), dagger, alone_));
  }
  nb::object even_odd(const Plain& psi, bool dagger) {
    check_spinors(psi);
    Dirac<double>& matrix = solver_->matrix();
    const std::int64_t reals = matrix.hopping().reals();
    Field<double> from = zeros<double>(reals), to = zeros<double>(reals);
    Values result(plain_size());
    matrix.hopping().kernel().read_spinors(psi.data(), 0, from.data());
    matrix.apply(dagger, from, to, alone_);
    matrix.hopping().kernel().write_spinors(to.data(), 0, result.data());
    return numpy_of(std::move(result));
  }

  // Solves D x = b.
  nb::object solve_for(const Plain& b, double tolerance, std::int64_t iterations,
                       const std::string& precision, const std::string& method) {
    check_spinors(b);
    description_.tolerance = tolerance;
    description_.iterations = iterations;
    make_solver(method, precision);
    double squared = 0.0;
    for (std::size_t i = 0; i < b.size(); ++i)
      squared = std::fma(b.data()[i], b.data()[i], squared);
    const double start = parallel::clock().now();
    Values x = solution_for(*solver_, {b.data(), b.data() + b.size()}, std::sqrt(squared), alone_);
    const double taken = parallel::clock().now() - start;
    const Solved& solved = solver_->solved();
    return nb::make_tuple(numpy_of(std::move(x)), solved.iterations, solved.residual,
                          solver_->converged(), solved.residuals, taken);
  }

 private:
  std::size_t plain_size() const {
    return static_cast<std::size_t>(volume_of(description_.size) * 24);
  }

  void check_spinors(const Plain& field) const {
    check_reals("the spinors of the box", field.size(), volume_of(description_.size) * 24);
  }

  void make_solver(const std::string& method, const std::string& precision) {
    description_.method = method == "bicgstab" ? Method::bicgstab : Method::cg;
    description_.precision = precision == "mixed"    ? Precision::mixed
                             : precision == "single" ? Precision::single
                                                     : Precision::double_;
    solver_ = std::make_unique<Solver>(description_, box_.position, threads_, true);
    solver_->set_links(links_, alone_);
  }

  OneBox box_;
  Description description_;
  int threads_;
  Links links_;
  OneProcess alone_;
  std::unique_ptr<Solver> solver_;
};

}  // namespace

void bind_dirac(nb::module_& m) {
  nb::class_<BoxOfQuarks>(m, "QcdQuarks", "Wilson quarks in a box of one process.")
      .def(nb::init<const Extents&, const Plain&, const std::array<double, axes>&, double, double,
                    double, double, double, double, const std::string&, int>(),
           nb::arg("box"), nb::arg("links"), nb::arg("phases") = std::array<double, axes>{},
           nb::arg("mass") = 0.0, nb::arg("anisotropy") = 1.0, nb::arg("velocity") = 1.0,
           nb::arg("clover_spatial") = 0.0, nb::arg("clover_temporal") = 0.0,
           nb::arg("twisted_mass") = 0.0, nb::arg("kernel") = "fast", nb::arg("threads") = 1)
      .def("dirac", &BoxOfQuarks::dirac, nb::arg("psi"), nb::arg("dagger") = false, "D psi.")
      .def("even_odd", &BoxOfQuarks::even_odd, nb::arg("psi"), nb::arg("dagger") = false,
           "The even-odd operator on even sites.")
      .def("solve", &BoxOfQuarks::solve_for, nb::arg("b"), nb::arg("tolerance") = 1e-12,
           nb::arg("iterations") = 10000, nb::arg("precision") = "double", nb::arg("method") = "cg",
           "x of D x = b, iterations, |b - D x| / |b|, whether it converged, the residual of the "
           "solver's system after each iteration, and seconds.");
}

}  // namespace phasewise::qcd
