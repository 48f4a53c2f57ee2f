// Deposit and gather of given particles, for tests.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "collision/encounter.hpp"
#include "collision/mesh/kick_nodes.hpp"
#include "collision/mesh/mesh_levels.hpp"

namespace nb = nanobind;

namespace phasewise::collision {
namespace {

using bindings::Array;
using Input = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Grid = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

field::Mesh mesh_of(const nb::tuple& box, int nx, int ny) {
  const double x0 = nb::cast<double>(box[0]), x1 = nb::cast<double>(box[1]);
  const double y0 = nb::cast<double>(box[2]), y1 = nb::cast<double>(box[3]);
  return {x0, y0, (x1 - x0) / (nx - 1), (y1 - y0) / (ny - 1), nx, ny};
}

Weighting weighting_of(const char* name) {
  return std::string_view(name) == "tsc" ? Weighting::tsc : Weighting::cic;
}

// Particles with x, y and no momenta.
struct StandingParticles {
  std::vector<double> x, y, zero;
  std::vector<double> px, py, delta;
  std::vector<std::uint32_t> id;
  StandingParticles(const Input& xs, const Input& ys)
      : x(xs.data(), xs.data() + xs.size()),
        y(ys.data(), ys.data() + ys.size()),
        zero(x.size(), 0.0),
        px(x.size(), 0.0),
        py(x.size(), 0.0),
        delta(x.size(), 0.0),
        id(x.size(), 0) {
    if (xs.size() != ys.size()) throw std::invalid_argument("x and y differ in length");
  }
  beam::ParticleView view() {
    return {x.data(),    px.data(),    y.data(),  py.data(),
            zero.data(), delta.data(), id.data(), static_cast<std::int64_t>(x.size())};
  }
};

struct Deposited {
  std::vector<double> charge;
  std::int64_t outside;
};

Deposited deposited(const Input& x, const Input& y, const field::Mesh& mesh, Weighting weighting) {
  Deposited result{std::vector<double>(mesh.nodes(), 0.0), 0};
  StandingParticles particles(x, y);
  const double quantum = numerics::power_of_two_above(static_cast<double>(x.size())) * 0x1p-52;
  const field::WindowFrame frame(mesh, {});
  const ChargeTarget target{.planes = 1,
                            .frame = {frame, frame},
                            .z = {0.0, 0.0},
                            .charge = {result.charge.data(), nullptr},
                            .rounding_offset = numerics::rounding_offset_for(quantum)};
  result.outside = encounter(weighting, Arithmetic::separate, particles.view(), nullptr, &target);
  return result;
}

nb::tuple deposit(const Input& x, const Input& y, const nb::tuple& box, int nx, int ny,
                  const char* weighting) {
  Deposited all = deposited(x, y, mesh_of(box, nx, ny), weighting_of(weighting));
  return nb::make_tuple(
      bindings::to_array(std::move(all.charge), {std::size_t(nx), std::size_t(ny)}), all.outside);
}

nb::tuple gather(const Grid& potential, const nb::tuple& box, const Input& x, const Input& y,
                 const char* weighting) {
  const int nx = static_cast<int>(potential.shape(0)), ny = static_cast<int>(potential.shape(1));
  const field::Mesh mesh = mesh_of(box, nx, ny);
  const auto rule = weighting_of(weighting);
  const NodeValues values = node_values(rule, Arithmetic::separate);
  std::vector<double> nodes(mesh.nodes() * values_per_node(values, 1));
  prepare_rows({values, 1, potential.data(), potential.data(), mesh, 1.0, nodes.data(), nullptr}, 0,
               nx);
  StandingParticles particles(x, y);
  const field::WindowFrame frame(mesh, {});
  const KickSource kick{.frame = {frame, frame},
                        .planes = 1,
                        .z_other = 0.0,
                        .z_tail = 0.0,
                        .inverse_length = 0.0,
                        .nodes = nodes.data(),
                        .difference = nullptr,
                        .longitudinal_kick = false,
                        .far = {}};
  encounter(rule, Arithmetic::separate, particles.view(), &kick, nullptr);
  const std::size_t n = x.size();
  return nb::make_tuple(bindings::to_array(std::move(particles.px), {n}),
                        bindings::to_array(std::move(particles.py), {n}));
}

std::array<double, 5> edge_charge(const Grid& potential, const nb::tuple& box) {
  const int nx = static_cast<int>(potential.shape(0)), ny = static_cast<int>(potential.shape(1));
  const field::WindowFrame frame(mesh_of(box, nx, ny), {});
  const GaussianCharge c = enclosed_charge(frame, edge_moments(frame, potential.data()), {}, 0.0);
  return {c.charge, c.x, c.y, c.covariance.xx - c.covariance.yy, c.covariance.xy};
}

// Deposits on one level of a mesh and takes the charge to a coarser one.
Array coarsened_charge(const Input& x, const Input& y, const nb::tuple& box, int nx, int ny,
                       const char* weighting, int from, int to) {
  const Weighting rule = weighting_of(weighting);
  const MeshLevels levels(mesh_of(box, nx, ny), rule);
  const field::Mesh mesh = levels.mesh(from);
  std::vector<double> charge = deposited(x, y, mesh, rule).charge;
  std::vector<double> result(mesh.nodes()), scratch(2 * static_cast<std::size_t>(ny));
  for (int i = 0; i < nx; ++i) {
    const std::int64_t at = static_cast<std::int64_t>(i) * ny;
    std::copy_n(levels.coarsening().coarsened(charge.data() + at, from, to, scratch.data()), ny,
                result.data() + at);
  }
  return bindings::to_array(std::move(result), {std::size_t(nx), std::size_t(ny)});
}

}  // namespace

void bind_mesh(nb::module_& m) {
  m.def("deposit", &deposit, nb::arg("x"), nb::arg("y"), nb::arg("box"), nb::arg("nx"),
        nb::arg("ny"), nb::arg("weighting") = "cic",
        "Charge[nx, ny] of unit particles on the nodes of box (x0, x1, y0, y1), and how many fell "
        "outside.");
  m.def("coarsened_charge", &coarsened_charge, nb::arg("x"), nb::arg("y"), nb::arg("box"),
        nb::arg("nx"), nb::arg("ny"), nb::arg("weighting"), nb::arg("from"), nb::arg("to"),
        "Charge[nx, ny] of unit particles deposited on level `from` of the mesh with the nodes of "
        "box, and taken to level `to`.");
  m.def("edge_charge", &edge_charge, nb::arg("potential"), nb::arg("box"),
        "Charge, centroid x and y [m], <x²> - <y²> and <xy> [m²] of the charge on the nodes of "
        "box, from the edge of its potential[nx, ny].");
  m.def("gather", &gather, nb::arg("potential"), nb::arg("box"), nb::arg("x"), nb::arg("y"),
        nb::arg("weighting") = "cic", "Ex and Ey = -grad u at particles, from potential[nx, ny].");
}

}  // namespace phasewise::collision
