// A run of shallow water as Python sees it: this rank's part of the grid.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "sphere/run.hpp"
#include "sphere/spherical_transform.hpp"

namespace nb = nanobind;

namespace phasewise::sphere {
namespace {

using Given = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

double side_of(const Complex& value, int side) { return side == 0 ? value.real() : value.imag(); }
void set_side(Complex& value, int side, double number) {
  reinterpret_cast<double*>(&value)[side] = number;
}

// Calls f(pair, side, longitude, level) in the order of arrays: [latitude][longitude][level], where
// the latitudes of this rank are pair by pair, north and south.
template <class F>
void for_points(const GridFields& fields, F&& f) {
  for (int pair = fields.pairs.first; pair < fields.pairs.second; ++pair)
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < fields.rows.longitudes; ++i)
        for (int level = 0; level < fields.rows.levels; ++level) f(pair, side, i, level);
}

std::vector<int> latitudes(Run& run) {
  const GridFields& fields = run.turn_of_rank().on_grid();
  std::vector<int> result;
  for (int pair = fields.pairs.first; pair < fields.pairs.second; ++pair) {
    result.push_back(pair);
    result.push_back(run.description().latitudes - 1 - pair);
  }
  return result;
}

nb::object field(Run& run, const std::string& name) {
  const GridFields& fields = run.turn_of_rank().on_grid();
  const GaussianPairs& grid_of = run.turn_of_rank().transforms().latitudes();
  const std::vector<double>& mean = run.turn_of_rank().mean_geopotential();
  const double g = run.description().gravity;
  const bool depth = name == "h" || name == "surface";
  int number = grid::geopotential;
  if (name == "u") number = grid::u;
  if (name == "v") number = grid::v;
  if (name == "vorticity") number = grid::vorticity;
  if (number == grid::geopotential && !depth && name != "mountain")
    throw std::invalid_argument("there is no field " + name +
                                ": give u, v, h, surface, vorticity or mountain");
  std::vector<double> values;
  for_points(fields, [&](int pair, int side, int i, int level) {
    const double ground = side_of(fields.ground[fields.surface_row(pair) + i], side);
    const double value = side_of(fields.at(number, pair)[level * fields.rows.stride + i], side);
    const double sine = grid_of.sine[pair];
    if (name == "mountain")
      values.push_back(ground);
    else if (depth)
      values.push_back((value + mean[level]) / g + (name == "surface" ? ground : 0.0));
    else if (number == grid::vorticity)
      values.push_back(value);
    else
      values.push_back(value / cosine_of(sine));
  });
  return nb::cast(bindings::numpy(std::move(values)));
}

using GivenComplex = nb::ndarray<const Complex, nb::c_contig, nb::device::cpu>;

void check_length(const char* what, std::size_t given, std::int64_t wanted) {
  if (given != static_cast<std::size_t>(wanted))
    throw std::invalid_argument(std::string(what) + " of this rank has " + std::to_string(wanted) +
                                " values, and " + std::to_string(given) + " were given");
}

void check_size(Run& run, const Given& values, const char* name) {
  const GridFields& fields = run.turn_of_rank().on_grid();
  check_length(
      name, values.size(),
      std::int64_t{2} * size_of(fields.pairs) * fields.rows.longitudes * fields.rows.levels);
}

void set_mountain(Run& run, const Given& mountain) {
  check_size(run, mountain, "the mountain");
  GridFields& fields = run.turn_of_rank().on_grid();
  const double* from = mountain.data();
  for_points(fields, [&](int pair, int side, int i, int) {
    set_side(fields.ground[fields.surface_row(pair) + i], side, *from++);
  });
  run.turn_of_rank().ground_was_set();
}

void set_fields(Run& run, const Given& u, const Given& v, const Given& h, const Given& mountain) {
  check_size(run, u, "u");
  check_size(run, v, "v");
  check_size(run, h, "h");
  set_mountain(run, mountain);
  GridFields& fields = run.turn_of_rank().on_grid();
  const GaussianPairs& grid_of = run.turn_of_rank().transforms().latitudes();
  std::size_t at = 0;
  for_points(fields, [&](int pair, int side, int i, int level) {
    const double sine = grid_of.sine[pair], cosine = cosine_of(sine);
    const std::int64_t there = level * fields.rows.stride + i;
    set_side(fields.at(grid::u, pair)[there], side, cosine * u.data()[at]);
    set_side(fields.at(grid::v, pair)[there], side, cosine * v.data()[at]);
    set_side(fields.at(grid::geopotential, pair)[there], side,
             run.description().gravity * h.data()[at]);
    ++at;
  });
  run.turn_of_rank().initial_fields_were_set();
}

std::int64_t points_of(const SphericalTransform& t) { return t.points() * t.description().levels; }
std::int64_t coefficients_of(const SphericalTransform& t) {
  return t.coefficients() * t.description().levels;
}

nb::object analysed(SphericalTransform& t, const Given& field, bool adjoint) {
  check_length("the field", field.size(), points_of(t));
  std::vector<Complex> found(coefficients_of(t));
  if (adjoint)
    t.adjoint(field.data(), found.data());
  else
    t.analyse(field.data(), found.data());
  return nb::cast(bindings::numpy(std::move(found)));
}

nb::object synthesised(SphericalTransform& t, const GivenComplex& coefficients) {
  check_length("the coefficients", coefficients.size(), coefficients_of(t));
  std::vector<double> found(points_of(t));
  t.synthesise(coefficients.data(), found.data());
  return nb::cast(bindings::numpy(std::move(found)));
}

nb::object winds_of(SphericalTransform& t, const GivenComplex& vorticity,
                    const GivenComplex& divergence) {
  check_length("the vorticity", vorticity.size(), coefficients_of(t));
  check_length("the divergence", divergence.size(), coefficients_of(t));
  std::vector<double> u(points_of(t)), v(points_of(t));
  t.winds(vorticity.data(), divergence.data(), u.data(), v.data());
  return nb::make_tuple(bindings::numpy(std::move(u)), bindings::numpy(std::move(v)));
}

nb::object curl_of(SphericalTransform& t, const Given& u, const Given& v) {
  check_length("u", u.size(), points_of(t));
  check_length("v", v.size(), points_of(t));
  std::vector<Complex> vorticity(coefficients_of(t)), divergence(coefficients_of(t));
  t.curl(u.data(), v.data(), vorticity.data(), divergence.data());
  return nb::make_tuple(bindings::numpy(std::move(vorticity)),
                        bindings::numpy(std::move(divergence)));
}

void bind_transform(nb::module_& m) {
  nb::class_<SphericalTransform>(m, "SphericalTransform",
                                 "Transforms of fields on this rank's latitudes. Fields are flat "
                                 "[level][latitude][longitude], from north to south; coefficients "
                                 "are flat [level][coefficient] by m, then l.")
      .def(
          "__init__",
          [](SphericalTransform* self, const std::string& parameters, int threads, double norm,
             bool phase) {
            new (self)
                SphericalTransform(workload::Parameters::parse(parameters), threads, norm, phase);
          },
          nb::arg("parameters"), nb::arg("threads"), nb::arg("norm"), nb::arg("phase"),
          "From the flat parameters of a study; norm: the integral of |Y|² over the sphere; "
          "phase: whether functions have the factor (-1)^m. Collective, as are its functions.")
      .def_prop_ro("latitudes", &SphericalTransform::latitudes)
      .def_prop_ro("wavenumbers", &SphericalTransform::wavenumbers)
      .def("analyse", &analysed, nb::arg("field"), nb::arg("adjoint") = false)
      .def("synthesise", &synthesised, nb::arg("coefficients"))
      .def("winds", &winds_of, nb::arg("vorticity"), nb::arg("divergence"))
      .def("curl", &curl_of, nb::arg("u"), nb::arg("v"));
}

}  // namespace

void bind(nb::module_& m) {
  bind_transform(m);
  m.def(
      "gaussian_latitudes",
      [](int count) {
        GaussianPairs pairs = gaussian_pairs(count);
        for (int pair = count / 2; pair-- > 0;) {
          pairs.sine.push_back(-pairs.sine[pair]);
          pairs.weight.push_back(pairs.weight[pair]);
        }
        return nb::make_tuple(bindings::numpy(std::move(pairs.sine)),
                              bindings::numpy(std::move(pairs.weight)));
      },
      nb::arg("count"),
      "The sines of Gaussian latitudes from north to south, and their weights, which add up to 2. "
      "ValueError unless their number is even.");
  nb::class_<Run, workload::Run>(m, "SphereRun", "Timesteps of shallow water on the sphere.")
      .def_prop_ro("latitudes", &latitudes,
                   "The latitudes of this rank, counted from the north, in the order of fields.")
      .def_prop_ro(
          "mountain_is_missing",
          [](Run& run) {
            run.turn_of_rank().settle();
            return run.turn_of_rank().ground_is_missing();
          },
          "Whether the height of the ground has to be set before the next timestep.")
      .def(
          "field", &field, nb::arg("name"),
          "u, v [m/s], h, surface, mountain [m] or vorticity [1/s] on this rank's latitudes, flat, "
          "[latitude][longitude][level].")
      .def("set_mountain", &set_mountain, nb::arg("mountain"),
           "The height of the ground [m], in the order of fields.")
      .def("set_fields", &set_fields, nb::arg("u"), nb::arg("v"), nb::arg("h"), nb::arg("mountain"),
           "The fields before the first timestep [m/s, m], in the order of fields.");
}

}  // namespace phasewise::sphere
