// The hopping matrix as Python sees it, for tests and benchmarks, on one box, whose own faces also
// serve as those from other ranks.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "parallel/buffer.hpp"
#include "parallel/clock.hpp"
#include "qcd/dirac/hopping.hpp"
#include "qcd/dirac/link_factors.hpp"

namespace nb = nanobind;

namespace phasewise::qcd {
namespace {

using Plain = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

// If given, the phases and weights of the links, whose third rows are then recomputed from the
// others.
using Factors = std::optional<std::pair<std::array<double, axes>, std::array<double, axes>>>;

HoppingShape shape_of(const Extents& box, int threads, int link_reals, const Factors& factors) {
  HoppingShape shape{.box = box, .threads = threads};
  shape.two_rows = link_reals == 12;
  if (factors)
    shape.third_row = third_row_of({factors->first, factors->second}, {box, {1, 1, 1, 1}, {}});
  if (shape.two_rows && !shape.third_row)
    throw std::invalid_argument("links of 12 reals need phases of whole numbers and weights");
  return shape;
}

void check_sizes(const Extents& box, const Plain& links, const Plain& psi) {
  const auto sites = static_cast<std::size_t>(volume_of(box));
  if (links.size() != sites * site_link_doubles || psi.size() != sites * 24)
    throw std::invalid_argument(
        "the links and spinors of the box are " + std::to_string(sites * site_link_doubles) +
        " and " + std::to_string(sites * 24) + " numbers, and " + std::to_string(links.size()) +
        " and " + std::to_string(psi.size()) + " were given");
}

// In a box without a halo.
Links links_of(const Extents& box, const double* plain) {
  Links links({box, {1, 1, 1, 1}, {}}, 0, true);
  std::memcpy(links.data(), plain, static_cast<std::size_t>(links.bytes()));
  return links;
}

template <class Real>
std::vector<double> hopped(Kernel kernel, const HoppingShape& shape, const double* links,
                           const double* psi, int to, bool dagger) {
  const auto hopping = Hopping<Real>::make(kernel, shape);
  hopping->set_links(links_of(shape.box, links), {});
  parallel::Buffer<Real> from(hopping->field_reals()), result(hopping->field_reals());
  hopping->read_spinors(psi, 1 - to, from.data());
  std::array<std::array<std::vector<std::byte>, 2>, axes> kept;
  ArrivedFaces faces{};
  for (int axis = 0; axis < axes; ++axis)
    for (int side = 0; side < 2 && shape.split[axis]; ++side) {
      std::vector<std::byte>& face = kept[axis][side];
      face.resize(static_cast<std::size_t>(hopping->face_bytes(axis)));
      hopping->pack(to, axis, side, dagger, from.data(), face.data());
      faces[axis][1 - side] = face.data();
    }
  hopping->interior(to, dagger, from.data(), result.data(), {});
  hopping->boundary(to, dagger, from.data(), faces, result.data());
  std::vector<double> plain(static_cast<std::size_t>(volume_of(shape.box) * 24));
  hopping->write_spinors(result.data(), to, plain.data());
  return plain;
}

nb::object hop(const Extents& box, const Plain& links, const Plain& psi, int to, bool dagger,
               const std::string& kernel, const std::string& precision,
               const std::vector<int>& split, const std::string& spinors, int threads,
               int link_reals, const Factors& factors) {
  check_sizes(box, links, psi);
  HoppingShape shape = shape_of(box, threads, link_reals, factors);
  for (const int axis : split) shape.split.at(axis) = true;
  shape.spinors = spinors == "full" ? FaceSpinors::full : FaceSpinors::half;
  const Kernel kind = kernel == "plain" ? Kernel::plain : Kernel::fast;
  return nb::cast(bindings::numpy(
      precision == "single" ? hopped<float>(kind, shape, links.data(), psi.data(), to, dagger)
                            : hopped<double>(kind, shape, links.data(), psi.data(), to, dagger)));
}

nb::object with_factors(const Extents& box, const Plain& links,
                        const std::array<double, axes>& phases,
                        const std::array<double, axes>& weights) {
  std::vector<double> changed(links.data(), links.data() + links.size());
  apply_factors({phases, weights}, {box, {1, 1, 1, 1}, {}}, changed.data());
  return nb::cast(bindings::numpy(std::move(changed)));
}

template <class Real>
double seconds_a_site(Kernel kernel, const HoppingShape& shape, double least) {
  const std::int64_t volume = volume_of(shape.box);
  const auto hopping = Hopping<Real>::make(kernel, shape);
  const std::vector<double> links(static_cast<std::size_t>(volume * site_link_doubles), 0.01);
  hopping->set_links(links_of(shape.box, links.data()), {});
  parallel::Buffer<Real> from(hopping->field_reals()), result(hopping->field_reals());
  for (parallel::Buffer<Real>* field : {&from, &result})
    std::fill_n(field->data(), field->size(), Real{1});
  double best = 1e30;
  const double begin = parallel::clock().now();
  while (parallel::clock().now() - begin < least) {
    const std::int64_t calls = std::max<std::int64_t>(1, 100000 / volume);
    const double start = parallel::clock().now();
    for (std::int64_t call = 0; call < calls; ++call)
      for (int to = 0; to < 2; ++to) hopping->interior(to, false, from.data(), result.data(), {});
    const double taken = parallel::clock().now() - start;
    best = std::min(best, taken / static_cast<double>(calls * volume));
  }
  return best;
}

double time_hopping(const Extents& box, const std::string& kernel, const std::string& precision,
                    int threads, double seconds, int link_reals) {
  const HoppingShape shape =
      shape_of(box, threads, link_reals, Factors{{{0, 0, 0, 0}, {1, 1, 1, 1}}});
  const Kernel kind = kernel == "plain" ? Kernel::plain : Kernel::fast;
  return precision == "single" ? seconds_a_site<float>(kind, shape, seconds)
                               : seconds_a_site<double>(kind, shape, seconds);
}

}  // namespace

void bind_quark(nb::module_& m) {
  m.def("qcd_hopping", &hop, nb::arg("box"), nb::arg("links"), nb::arg("psi"), nb::arg("to"),
        nb::arg("dagger") = false, nb::arg("kernel") = "fast", nb::arg("precision") = "double",
        nb::arg("split") = std::vector<int>{}, nb::arg("spinors") = "half", nb::arg("threads") = 1,
        nb::arg("link_reals") = 18, nb::arg("factors") = nb::none(),
        "The hopping matrix to the sites of a parity. Along split axes the box's own faces serve "
        "as another rank's. factors: the phases and weights of the links, whose third rows are "
        "then recomputed.");
  m.def("qcd_links_with_factors", &with_factors, nb::arg("box"), nb::arg("links"),
        nb::arg("phases"), nb::arg("weights") = std::array<double, axes>{1, 1, 1, 1},
        "Links that include the phases of the boundary (units of pi) and the weights of the hops.");
  m.def("qcd_hopping_time", &time_hopping, nb::arg("box"), nb::arg("kernel"), nb::arg("precision"),
        nb::arg("threads") = 1, nb::arg("seconds") = 0.5, nb::arg("link_reals") = 18,
        "The shortest time of a site [s] in the hopping matrix.");
}

}  // namespace phasewise::qcd
