// The Dirac operator and its solvers as Python sees them, for tests and benchmarks: on one box.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lattice/conjugate_gradient.hpp"
#include "lattice/link_factors.hpp"
#include "parallel/clock.hpp"

namespace nb = nanobind;

namespace phasewise::lattice {
namespace {

using Plain = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Values = std::vector<double>;

nb::object numpy_of(Values values) {
  auto* kept = new Values(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Values*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

class BoxOfQuarks {
 public:
  BoxOfQuarks(const Extents& box, const Plain& links, const Plain& strength,
              const std::array<double, axes>& phases, double mass, double anisotropy,
              double velocity, double clover_spatial, double clover_temporal, double twisted_mass,
              const std::string& kernel, const std::vector<int>& split, int threads)
      : box_(box) {
    const QuarkAction action{mass,           anisotropy,      velocity,
                             clover_spatial, clover_temporal, twisted_mass};
    Values changed(links.data(), links.data() + links.size());
    apply_factors({phases, action.weights()}, {box, {1, 1, 1, 1}, {}}, changed.data());
    const Values before = links_before(box, changed.data());
    HoppingShape shape{.box = box, .threads = threads};
    for (const int axis : split) shape.split.at(axis) = true;
    const Kernel kind = kernel == "plain" ? Kernel::plain : Kernel::fast;
    double_ = std::make_unique<Dirac<double>>(kind, shape, action, changed.data(), before.data(),
                                              strength.data(), outside_);
    single_ = std::make_unique<Dirac<float>>(kind, shape, action, changed.data(), before.data(),
                                             strength.data(), outside_);
  }

  nb::object dirac(const Plain& psi, bool dagger, const std::string& precision) {
    return numpy_of(precision == "single" ? dirac_in(*single_, psi.data(), dagger)
                                          : dirac_in(*double_, psi.data(), dagger));
  }
  nb::object even_odd(const Plain& psi, bool dagger) {
    Values result(plain_size());
    parallel::Buffer<double> from(double_->reals()), to(double_->reals());
    double_->hopping().read_spinors(psi.data(), 0, from.data());
    double_->apply(dagger, from.data(), to.data());
    double_->hopping().write_spinors(to.data(), 0, result.data());
    return numpy_of(std::move(result));
  }

  // D x = b by M†M x_e = M† b'.
  nb::object solve_for(const Plain& b, double tolerance, int iterations,
                       const std::string& precision) {
    Values x(plain_size());
    const SolverSettings settings{tolerance, iterations};
    const double start = parallel::clock().now();
    const SolverResult result =
        precision == "single" ? solve_in(*single_, b.data(), settings, false, x)
                              : solve_in(*double_, b.data(), settings, precision == "mixed", x);
    const double taken = parallel::clock().now() - start;
    return nb::make_tuple(numpy_of(std::move(x)), result.iterations, result.residual,
                          result.converged, result.history, taken);
  }

 private:
  std::size_t plain_size() const { return static_cast<std::size_t>(volume_of(box_) * 24); }

  template <class Real>
  Values dirac_in(Dirac<Real>& dirac, const double* psi, bool dagger) {
    Values result(plain_size());
    parallel::Buffer<Real> fields[3] = {parallel::Buffer<Real>(dirac.reals()),
                                        parallel::Buffer<Real>(dirac.reals()),
                                        parallel::Buffer<Real>(dirac.reals())};
    for (int parity = 0; parity < 2; ++parity)
      dirac.hopping().read_spinors(psi, parity, fields[parity].data());
    for (int to = 0; to < 2; ++to) {
      dirac.full(to, dagger, fields[to].data(), fields[1 - to].data(), fields[2].data());
      dirac.hopping().write_spinors(fields[2].data(), to, result.data());
    }
    return result;
  }

  template <class Real>
  SolverResult solve_in(Dirac<Real>& dirac, const double* b, const SolverSettings& settings,
                        bool mixed, Values& x) {
    const auto reals = dirac.reals();
    const double all_sites = static_cast<double>(volume_of(box_)) / 2;
    parallel::Buffer<Real> even(reals), odd(reals), right(reals), solution(reals);
    dirac.hopping().read_spinors(b, 0, even.data());
    dirac.hopping().read_spinors(b, 1, odd.data());
    dirac.prepare(even.data(), odd.data(), right.data());
    dirac.apply(true, right.data(), even.data());
    SolverResult result;
    if constexpr (sizeof(Real) == sizeof(double)) {
      if (mixed)
        result = solve_mixed(
            dirac, *single_, [&](const float* from, double* to) { convert(from, to); },
            [&](const double* from, float* to) { convert(from, to); }, all_sites, outside_,
            settings, even.data(), solution.data());
    }
    if (!mixed) result = solve(dirac, all_sites, outside_, settings, even.data(), solution.data());
    dirac.hopping().write_spinors(solution.data(), 0, x.data());
    dirac.reconstruct(odd.data(), solution.data(), right.data());
    dirac.hopping().write_spinors(right.data(), 1, x.data());
    return result;
  }

  void convert(const float* from, double* to) const {
    convert_fields(single_->hopping(), from, double_->hopping(), to);
  }
  void convert(const double* from, float* to) const {
    convert_fields(double_->hopping(), from, single_->hopping(), to);
  }

  Extents box_;
  OneRank outside_;
  std::unique_ptr<Dirac<double>> double_;
  std::unique_ptr<Dirac<float>> single_;
};

}  // namespace

void bind_dirac(nb::module_& m) {
  nb::class_<BoxOfQuarks>(m, "LatticeQuarks", "Wilson quarks in a box of one process.")
      .def(nb::init<const Extents&, const Plain&, const Plain&, const std::array<double, axes>&,
                    double, double, double, double, double, double, const std::string&,
                    const std::vector<int>&, int>(),
           nb::arg("box"), nb::arg("links"), nb::arg("strength"),
           nb::arg("phases") = std::array<double, axes>{}, nb::arg("mass") = 0.0,
           nb::arg("anisotropy") = 1.0, nb::arg("velocity") = 1.0, nb::arg("clover_spatial") = 0.0,
           nb::arg("clover_temporal") = 0.0, nb::arg("twisted_mass") = 0.0,
           nb::arg("kernel") = "fast", nb::arg("split") = std::vector<int>{},
           nb::arg("threads") = 1)
      .def("dirac", &BoxOfQuarks::dirac, nb::arg("psi"), nb::arg("dagger") = false,
           nb::arg("precision") = "double", "D psi.")
      .def("even_odd", &BoxOfQuarks::even_odd, nb::arg("psi"), nb::arg("dagger") = false,
           "The even-odd operator on even sites.")
      .def("solve", &BoxOfQuarks::solve_for, nb::arg("b"), nb::arg("tolerance") = 1e-12,
           nb::arg("iterations") = 10000, nb::arg("precision") = "double",
           "x of D x = b, iterations, true residual of the normal equations, whether it "
           "converged, the residual after each iteration, and seconds.");
}

}  // namespace phasewise::lattice
