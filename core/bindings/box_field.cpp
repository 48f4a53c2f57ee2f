// Bindings of the open box: its Green function, its solver, deposit and gather.
#include "field/box_field.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/named.hpp"
#include "field/box_solver.hpp"
#include "field/box_tsc.hpp"
#include "field/long_beam.hpp"

namespace nb = nanobind;

namespace phasewise::bindings {
namespace {

using Grid = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const double, nb::shape<3, -1>, nb::c_contig, nb::device::cpu>;
using Triple = std::array<double, 3>;

field::BoxGreen kind_of(const std::string& name) {
  return named<field::BoxGreen>(
      "Green function", name,
      {{"integrated", field::BoxGreen::integrated}, {"point", field::BoxGreen::point}});
}

bool is_tsc(const std::string& name) {
  return named<bool>("weighting", name, {{"cic", false}, {"tsc", true}});
}

Array solve(const Grid& charge, const Triple& h, const std::string& green, int threads,
            bool periodic) {
  const std::array<int, 3> nodes = {static_cast<int>(charge.shape(1)),
                                    static_cast<int>(charge.shape(2)),
                                    static_cast<int>(charge.shape(0))};
  field::BoxSolver solver(field::DoubledBox(nodes, periodic), kind_of(green), threads);
  std::vector<double> potential(charge.size());
  solver.solve(charge.data(), *solver.green({h}), potential.data());
  return to_array(std::move(potential), {charge.shape(0), charge.shape(1), charge.shape(2)});
}

Array solve_long(const Grid& charge, const Triple& h, double pipe_radius, int threads) {
  const auto nx = static_cast<int>(charge.shape(1)), ny = static_cast<int>(charge.shape(2));
  field::LongBeamSolver solver(nx, ny, threads);
  std::vector<double> values(charge.data(), charge.data() + charge.size());
  const auto green = solver.across().green({.hx = h[0], .hy = h[1]}, threads);
  solver.solve(values.data(), static_cast<int>(charge.shape(0)), *green,
               {.cell = h[2], .log_pipe = std::log(pipe_radius)});
  return to_array(std::move(values), {charge.shape(0), charge.shape(1), charge.shape(2)});
}

field::BoxFrame frame_of(const Triple& origin, const Triple& h, const std::array<int, 3>& nodes) {
  return field::BoxFrame({.origin = origin, .h = h, .n = nodes});
}

Array deposit(const Places& places, const Triple& origin, const Triple& h,
              const std::array<int, 3>& nodes, double quantum, const std::string& weighting) {
  const field::BoxFrame frame = frame_of(origin, h, nodes);
  const bool tsc = is_tsc(weighting);
  const std::size_t n = places.shape(1), plane = static_cast<std::size_t>(nodes[0]) * nodes[1];
  std::vector<double> charge(plane * nodes[2], 0.0);
  const double* v = places.data();
  for (std::size_t i = 0; i < n; ++i) {
    if (tsc) {
      const field::BoxPlace place = field::nearest_place(frame, v[i], v[n + i], v[2 * n + i]);
      double w[27];
      field::tsc_charge(place, numerics::rounding_offset_for(quantum), w);
      for (int k = 0; k < 27; ++k)
        charge[place.node + (k / 9 - 1) * static_cast<std::int64_t>(plane) +
               (k / 3 % 3 - 1) * nodes[1] + k % 3 - 1] += w[k];
      continue;
    }
    const field::BoxPlace place = frame.place(v[i], v[n + i], v[2 * n + i]);
    const field::BoxCharge w = field::box_charge(place, numerics::rounding_offset_for(quantum));
    double* at = charge.data() + place.node;
    for (const auto& part : {w.lower, w.upper}) {
      at[0] += part.w00;
      at[1] += part.w01;
      at[nodes[1]] += part.w10;
      at[nodes[1] + 1] += part.w11;
      at += plane;
    }
  }
  return to_array(std::move(charge),
                  {static_cast<std::size_t>(nodes[2]), static_cast<std::size_t>(nodes[0]),
                   static_cast<std::size_t>(nodes[1])});
}

Array gather(const Grid& potential, const Places& places, const Triple& origin, const Triple& h,
             const std::string& weighting, bool at_nodes) {
  const bool tsc = is_tsc(weighting);
  const std::array<int, 3> nodes = {static_cast<int>(potential.shape(1)),
                                    static_cast<int>(potential.shape(2)),
                                    static_cast<int>(potential.shape(0))};
  const field::BoxMesh mesh{.origin = origin, .h = h, .n = nodes};
  const field::BoxFrame frame(mesh);
  const std::size_t n = places.shape(1);
  std::vector<double> result(3 * n), differences(at_nodes ? 4 * mesh.nodes() : 0);
  for (int k = 1; at_nodes && k < nodes[2] - 1; ++k)
    field::difference_plane(potential.data(), mesh, k, differences.data() + 4 * k * mesh.plane());
  const double* v = places.data();
  for (std::size_t i = 0; i < n; ++i) {
    const field::BoxPlace place = tsc ? field::nearest_place(frame, v[i], v[n + i], v[2 * n + i])
                                      : frame.place(v[i], v[n + i], v[2 * n + i]);
    const field::BoxField f =
        at_nodes ? box_field_of_differences(differences.data(), nodes[0], nodes[1], place)
                 : (tsc ? field::tsc_field : field::box_field)(potential.data(), nodes[0], nodes[1],
                                                               place);
    result[i] = f.ex * frame.inverse_hx;
    result[n + i] = f.ey * frame.inverse_hy;
    result[2 * n + i] = f.ez * frame.inverse_hz;
  }
  return to_array(std::move(result), {3, n});
}

}  // namespace
}  // namespace phasewise::bindings

void bind_box_field(nb::module_& m) {
  using namespace nb::literals;
  namespace b = phasewise::bindings;
  m.def("integrated_box_green", &phasewise::field::integrated_box_green, "cells"_a, "h"_a,
        "Average of 1/r [1/m] over a cell of size h [m] that is `cells` cells away from the "
        "source.");
  m.def(
      "solve_open_box", b::solve, "charge"_a, "h"_a, "green"_a = "integrated", "threads"_a = 1,
      "periodic"_a = false,
      "Potential [nz, nx, ny], 1/r of a unit charge [1/m], of charge [nz, nx, ny] on a mesh with "
      "cells h = (hx, hy, hz) [m] that is open on all sides; green: integrated | point. periodic: "
      "the planes are a period along z, whose mean charge has the potential -2/L ln(r/L).");
  m.def("solve_long_beam", b::solve_long, "charge"_a, "h"_a, "pipe_radius"_a, "threads"_a = 1,
        "The same for a beam that is long compared with its width, plane by plane; it vanishes on "
        "a round pipe of this radius [m] about the beam.");
  m.def("deposit_in_box", b::deposit, "places"_a, "origin"_a, "h"_a, "nodes"_a,
        "quantum"_a = 0x1p-40, "weighting"_a = "cic",
        "Charge [nz, nx, ny] of unit charges at places (3, n) [m] on a mesh of nodes (nx, ny, nz), "
        "in multiples of the quantum, a power of two.");
  m.def("gather_in_box", b::gather, "potential"_a, "places"_a, "origin"_a, "h"_a,
        "weighting"_a = "cic", "at_nodes"_a = false,
        "Field (3, n), minus the gradient of a potential [nz, nx, ny], at places (3, n) [m]. Its "
        "differences are computed for each place, or, with cloud in cell, once for all nodes.");
}
