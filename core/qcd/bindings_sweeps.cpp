// The gauge field of a whole lattice on one rank, with the parts of its updates one by one.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "qcd/exchange/one_process.hpp"
#include "qcd/update/clover_force.hpp"
#include "qcd/update/gauge_monomial.hpp"
#include "qcd/update/heat_bath.hpp"
#include "qcd/update/link_update.hpp"

namespace nb = nanobind;

namespace phasewise::qcd {
namespace {

using Given = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

class GaugeField {
 public:
  GaugeField(const Extents& size, double beta, double rectangles, std::uint64_t seed, int threads,
             bool fast)
      : box_(size),
        links_(box_.position.domain(), 1, true),
        fields_(box_.position, links_, seed, threads, fast ? parallel::lanes : 1, true),
        gauge_(fields_, {beta, rectangles}),
        heat_bath_(fields_, beta),
        clover_(fields_) {
    links_.set_cold();
  }

  void set_hot() {
    links_.set_random(fields_.seed);
    ++fields_.version;
  }
  void set_links(const Given& given) {
    copy_in(given, links_.matrices(), axes, "links");
    ++fields_.version;
  }
  nb::object links() const { return copied(links_.matrices()); }
  void set_momenta(const Given& given) { copy_in(given, fields_.momenta.data(), axes, "momenta"); }
  nb::object momenta() const { return copied(fields_.momenta.data()); }

  double action() { return gauge_.action(listener_); }
  // momenta -= step F.
  void move_momenta(double step) { gauge_.force(step, listener_); }
  double largest_force() const { return gauge_.last_largest(); }
  void move_links(double step) {
    update_links(fields_, step, listener_);
    ++fields_.version;
  }
  std::int64_t mend() {
    const std::int64_t left = reunitarise(fields_, listener_);
    ++fields_.version;
    return left;
  }
  void add_clover_force(const Given& tensor, double step) {
    copy_in(tensor, clover_.tensor(), 6, "the tensor");
    clover_.add(step, fields_.momenta, nullptr, listener_);
  }
  void sweep(std::int64_t trajectory, bool over_relaxation) {
    heat_bath_.sweep(over_relaxation ? Sweep::over_relaxation : Sweep::heat_bath, trajectory,
                     listener_);
  }
  // Of trajectories from this one on, each a sweep of heat-bath and some of over-relaxation.
  nb::object trajectories(std::int64_t first, std::int64_t count, int over_relaxation) {
    std::vector<double> plaquettes;
    for (std::int64_t number = first; number < first + count; ++number) {
      sweep(number, false);
      for (int i = 0; i < over_relaxation; ++i) sweep(number, true);
      plaquettes.push_back(plaquette());
    }
    return nb::cast(bindings::numpy(std::move(plaquettes)));
  }
  double plaquette() {
    const double sites = static_cast<double>(fields_.volume());
    return 1.0 - wilson_.action(listener_) / (6.0 * sites);
  }

 private:
  void copy_in(const Given& given, Matrix* to, std::int64_t each, const char* what) const {
    const std::int64_t reals = fields_.volume() * each * matrix_reals;
    if (given.size() != static_cast<std::size_t>(reals))
      throw std::invalid_argument(std::string(what) + " have " + std::to_string(reals) +
                                  " numbers, and " + std::to_string(given.size()) + " were given");
    std::memcpy(to, given.data(), given.size() * sizeof(double));
  }
  nb::object copied(const Matrix* from) const {
    std::vector<double> reals(static_cast<std::size_t>(fields_.own_links() * matrix_reals));
    std::memcpy(reals.data(), from, reals.size() * sizeof(double));
    return nb::cast(bindings::numpy(std::move(reals)));
  }

  OneBox box_;
  Links links_;
  UpdateFields fields_;
  GaugeMonomial gauge_;
  GaugeMonomial wilson_{fields_, {1.0, 0.0}};
  HeatBath heat_bath_;
  CloverForce clover_;
  OneProcess listener_;
};

}  // namespace

void bind_sweeps(nb::module_& m) {
  nb::class_<GaugeField>(m, "QcdGaugeField",
                         "The gauge field of a whole lattice on one rank, and the parts of its "
                         "updates. Links and momenta are [t][z][y][x][axis][3][3][re, im].")
      .def(nb::init<const Extents&, double, double, std::uint64_t, int, bool>(), nb::arg("size"),
           nb::arg("beta"), nb::arg("rectangles") = 0.0, nb::arg("seed") = 1,
           nb::arg("threads") = 1, nb::arg("fast") = true,
           "Cold links. Without `fast` sites are taken one at a time, with the same bits.")
      .def("set_hot", &GaugeField::set_hot, "Random links of the seed.")
      .def("set_links", &GaugeField::set_links, nb::arg("links"))
      .def("links", &GaugeField::links)
      .def("set_momenta", &GaugeField::set_momenta, nb::arg("momenta"))
      .def("momenta", &GaugeField::momenta)
      .def("action", &GaugeField::action)
      .def("move_momenta", &GaugeField::move_momenta, nb::arg("step"),
           "momenta -= step F of the gauge action.")
      .def("largest_force", &GaugeField::largest_force,
           "The largest sum of squares of a link's force in the last move.")
      .def("move_links", &GaugeField::move_links, nb::arg("step"), "U = exp(step P) U.")
      .def("reunitarise", &GaugeField::mend,
           "Puts links back into SU(3); returns how many had left it.")
      .def("add_clover_force", &GaugeField::add_clover_force, nb::arg("tensor"), nb::arg("step"),
           "momenta -= step F of a tensor [t][z][y][x][plane][3][3][re, im], anti-Hermitian.")
      .def("sweep", &GaugeField::sweep, nb::arg("trajectory"), nb::arg("over_relaxation") = false)
      .def("trajectories", &GaugeField::trajectories, nb::arg("first"), nb::arg("count"),
           nb::arg("over_relaxation"),
           "The plaquette after each trajectory of one sweep of heat-bath and some of "
           "over-relaxation.")
      .def("plaquette", &GaugeField::plaquette, "The mean plaquette, 1 for unit matrices.");
}

}  // namespace phasewise::qcd
