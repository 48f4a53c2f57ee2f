// Bindings of lattices outside a run: particles through one, and its expansion.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "beam/build_lattice.hpp"
#include "beam/closed_orbit.hpp"
#include "beam/normal_modes.hpp"
#include "beam/periodic.hpp"
#include "beam/ring_optics.hpp"
#include "bindings/arrays.hpp"
#include "bindings/coordinates.hpp"
#include "workload/parameters.hpp"

namespace nb = nanobind;

namespace phasewise::bindings {
namespace {

std::vector<beam::Element> elements_of(const std::string& text, double from, double to) {
  const beam::Lattice lattice = beam::build_lattice(workload::Parameters::parse(text));
  return lattice.between(from, to < 0.0 ? lattice.length() : to);
}

Array push_lattice(const std::string& text, const CoordinateArray& coordinates, double from,
                   double to) {
  const auto parameters = workload::Parameters::parse(text);
  const beam::Line line(beam::joined(elements_of(text, from, to), beam::read_maps(parameters)));
  const std::size_t n = coordinates.shape(1);
  std::vector<double> values = copy_of(coordinates);
  std::vector<std::uint32_t> id(n);
  std::iota(id.begin(), id.end(), 0U);
  line.push(view_of(values, id), beam::PushContext{});
  return to_array(std::move(values), {6, n});
}

beam::SecondOrder complete_map(const std::vector<beam::Element>& elements) {
  const auto [map, complete] = beam::expansion(elements);
  if (!complete)
    throw std::invalid_argument(
        "an element of the lattice has no expansion about the reference orbit");
  return map;
}

nb::dict lattice_map(const std::string& text, double from, double to) {
  const beam::SecondOrder map = complete_map(elements_of(text, from, to));
  nb::dict result;
  const double* matrix = &map.rows[0][0];
  std::vector<double> tensor;
  for (int i = 0; i < 216; ++i) {
    const int j = (i / 6) % 6, k = i % 6;
    const double both = map.quadratic[i / 36][beam::SecondOrder::index(j, k)];
    tensor.push_back(j == k ? both : 0.5 * both);
  }
  result["matrix"] = to_array(std::vector<double>(matrix, matrix + 36), {6, 6});
  result["tensor"] = to_array(std::move(tensor), {6, 6, 6});
  return result;
}

void append(std::vector<double>& row, const beam::PlaneOptics& o, double phase) {
  for (const double value :
       {o.sqrt_beta * o.sqrt_beta, o.alpha, o.dispersion, o.dispersion_slope, phase})
    row.push_back(value);
}

nb::dict lattice_optics(const std::string& text, const std::vector<double>& places) {
  const auto whole = elements_of(text, 0.0, -1.0);
  const beam::PeriodicOptics periodic = beam::periodic_optics(complete_map(whole));
  std::vector<double> rows;
  for (const double place : places) {
    const auto at = beam::carried(periodic.optics, complete_map(elements_of(text, 0.0, place)));
    append(rows, at.optics.x, at.phase_x);
    append(rows, at.optics.y, at.phase_y);
  }
  nb::dict result;
  result["tune_x"] = periodic.phase_x;
  result["tune_y"] = periodic.phase_y;
  result["slip"] = periodic.slip;
  result["beta_z"] = periodic.beta_z;
  result["twiss"] = to_array(std::move(rows), {places.size(), 2, 5});
  return result;
}

template <std::size_t N>
Array to_list(const std::array<double, N>& values) {
  return to_array({values.begin(), values.end()}, {N});
}

nb::dict ring_optics(const std::string& text, const std::optional<std::vector<double>>& places) {
  const auto found =
      beam::ring_optics(beam::build_lattice(workload::Parameters::parse(text)), places);
  std::vector<double> rows;
  for (const beam::OpticsAt& at : found.along) {
    rows.push_back(at.place);
    for (const beam::PlaneCourse& p : at.planes)
      rows.insert(rows.end(), {p.beta, p.alpha, p.phase, p.dispersion, p.dispersion_slope});
    rows.insert(rows.end(), at.orbit.begin(), at.orbit.begin() + 4);
  }
  nb::dict result;
  result["closed_orbit"] = to_list(found.orbit);
  result["coupled"] = found.coupled;
  result["tunes"] = to_list(found.tunes);
  result["chromaticity"] = to_list(found.chromaticities);
  result["slip"] = found.slip;
  result["synchrotron_tune"] =
      found.synchrotron_tune ? nb::cast(*found.synchrotron_tune) : nb::object(nb::none());
  result["along"] = to_array(std::move(rows), {found.along.size(), 15});
  return result;
}

Array to_matrix(const double (&rows)[6][6]) {
  const double* first = &rows[0][0];
  return to_array(std::vector<double>(first, first + 36), {6, 6});
}

nb::dict closed_orbit(const std::string& text) {
  const beam::ClosedOrbit orbit = beam::closed_orbit(elements_of(text, 0.0, -1.0));
  nb::dict result;
  result["start"] = to_array({orbit.start.begin(), orbit.start.end()}, {6});
  result["matrix"] = to_matrix(orbit.map.rows);
  result["bunched"] = orbit.bunched;
  return result;
}

nb::dict normal_modes(const CoordinateArray& matrix, int dimensions) {
  if (matrix.shape(1) != 6 || (dimensions != 4 && dimensions != 6))
    throw std::invalid_argument("normal_modes takes a matrix of 6 rows and 4 or 6 dimensions.");
  beam::Square rows{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) rows[i][j] = matrix(i, j);
  const std::vector<beam::NormalMode> modes = beam::normal_modes(rows, dimensions);
  std::vector<double> phases, vectors;
  for (const beam::NormalMode& mode : modes) {
    phases.push_back(mode.phase);
    for (const auto& vector : {mode.a, mode.b})
      vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  nb::dict result;
  result["phases"] = to_array(std::move(phases), {modes.size()});
  result["vectors"] = to_array(std::move(vectors), {modes.size(), 2, 6});
  return result;
}

double lattice_length(const std::string& text) {
  return beam::build_lattice(workload::Parameters::parse(text)).length();
}

}  // namespace
}  // namespace phasewise::bindings

void bind_lattice(nb::module_& m) {
  using namespace nb::literals;
  namespace b = phasewise::bindings;
  m.def("push_lattice", b::push_lattice, "parameters"_a, "coordinates"_a, "start"_a = 0.0,
        "end"_a = -1.0,
        "Coordinates (6, n) after the lattice between two places [m], by the maps that "
        "lattice.maps names. Bad parameters raise ValueError.");
  m.def("lattice_map", b::lattice_map, "parameters"_a, "start"_a = 0.0, "end"_a = -1.0,
        "Taylor expansion of the lattice about its reference orbit: matrix (6, 6), tensor "
        "(6, 6, 6), symmetric in its last two axes. ValueError if an element has none.");
  m.def(
      "lattice_optics", b::lattice_optics, "parameters"_a, "places"_a,
      "Optics that repeat after each passage: tune_x, tune_y (fractions), slip [m] = dz/dδ, beta_z "
      "[m] (0: not bunched), and twiss (places, 2, 5): β [m], α, dispersion [m], its slope and the "
      "phase [turns, fraction] in x and y at places [m]. ValueError if unstable or coupled.");
  m.def(
      "ring_optics", b::ring_optics, "parameters"_a, "places"_a = nb::none(),
      "The optics about the closed orbit: closed_orbit (6,); coupled; tunes with whole turns and "
      "chromaticity dQ/dδ in x and y; slip [m] = dz/dδ; synchrotron_tune, None without bunching; "
      "along (elements + 1, 15), at the start and behind each element, or at the start and "
      "at `places` [m], which ascend: s [m], then β [m], α, the "
      "phase [turns], dispersion [m] and its slope in x, the same in y, and the orbit's x, px, y, "
      "py. ValueError if there is none.");
  m.def("closed_orbit", b::closed_orbit, "parameters"_a,
        "The orbit that closes after each passage: start (6,); the matrix (6, 6) of a passage "
        "about it; bunched, whether it closes in six dimensions. ValueError if there is none.");
  m.def("normal_modes", b::normal_modes, "matrix"_a, "dimensions"_a = 4,
        "Normal modes of the first 4 or 6 rows of a symplectic matrix (6, 6), one for each plane: "
        "phases [turns, within ±1/2] and vectors (modes, 2, 6), a and b with a·Ω·b = 1: "
        "√(2J)(a cos φ - b sin φ) advances by φ → φ + 2π phase. ValueError if unstable.");
  m.def("lattice_length", b::lattice_length, "parameters"_a, "Length of the lattice [m].");
}
