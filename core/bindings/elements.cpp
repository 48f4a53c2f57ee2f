// Bindings of the arc: lines, bunches and crab cavities outside a simulation.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "beam/boost.hpp"
#include "beam/build_line.hpp"
#include "beam/crab.hpp"
#include "beam/distribution.hpp"
#include "beam/line.hpp"
#include "bindings/arrays.hpp"
#include "bindings/coordinates.hpp"
#include "workload/parameters.hpp"

namespace nb = nanobind;

namespace phasewise::bindings {

namespace {

using Ids = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::uint64_t seed_of(const workload::Parameters& parameters) {
  return static_cast<std::uint64_t>(parameters.integer("seed"));
}

// Sets the centroid of the whole beam to the mean of the particles that are not lost.
void set_centroid(beam::PushContext& context, const std::vector<double>& values, std::size_t n) {
  for (std::size_t k = 0; k < 6; ++k) {
    double sum = 0.0;
    double living = 0.0;
    for (std::size_t i = k * n; i < (k + 1) * n; ++i) {
      if (std::isnan(values[i])) continue;
      sum += values[i];
      living += 1.0;
    }
    context.centroid[k] = living > 0.0 ? sum / living : 0.0;
  }
}

Array push_line(const std::string& text, int beam_number, int segment,
                const CoordinateArray& coordinates, const Ids& ids, std::uint64_t turn) {
  const auto parameters = workload::Parameters::parse(text);
  const beam::Line line = beam::build_line(parameters, beam_number, segment);
  const std::size_t n = coordinates.shape(1);
  if (ids.shape(0) != n) {
    throw std::invalid_argument("push_line takes as many ids as particles: " + std::to_string(n) +
                                ", not " + std::to_string(ids.shape(0)) + ".");
  }
  std::vector<double> values = copy_of(coordinates);
  std::vector<std::uint32_t> id(ids.data(), ids.data() + n);
  beam::PushContext context{};
  context.seed = seed_of(parameters);
  context.turn = turn;
  context.beam = static_cast<std::uint32_t>(beam_number);
  set_centroid(context, values, n);
  line.push(view_of(values, id), context);
  return to_array(std::move(values), {6, n});
}

Array make_bunch(const std::string& text, int beam_number, std::uint32_t first_id,
                 std::uint32_t count) {
  const auto parameters = workload::Parameters::parse(text);
  const beam::BunchDescription bunch = beam::build_bunch(parameters, beam_number);
  std::vector<double> values(std::size_t{6} * count);
  std::vector<std::uint32_t> id(count);
  std::iota(id.begin(), id.end(), first_id);
  beam::fill(view_of(values, id), bunch, seed_of(parameters),
             static_cast<std::uint32_t>(beam_number));
  return to_array(std::move(values), {6, count});
}

void check_parameters(const std::string& text, int beam_number, int segment) {
  const auto parameters = workload::Parameters::parse(text);
  seed_of(parameters);
  beam::build_line(parameters, beam_number, segment);
  parameters.check_all_used();
}

Array crab(const CoordinateArray& coordinates, double strength, double frequency, double phi,
           double alpha, bool undo) {
  const beam::CrabPair pair =
      beam::crab_pair(strength, frequency, beam::crossing_angle(phi, alpha));
  return map_coordinates(coordinates,
                         [&](beam::Coordinates& c) { undo ? pair.undo(c) : pair.apply(c); });
}

}  // namespace

}  // namespace phasewise::bindings

void bind_elements(nb::module_& m) {
  using namespace nb::literals;
  namespace b = phasewise::bindings;
  m.def("push_line", b::push_line, "parameters"_a, "beam"_a, "segment"_a, "coordinates"_a, "ids"_a,
        "turn"_a = 0,
        "Coordinates (6, n) after the line of a beam (1, 2) from interaction point `segment` on; "
        "a feedback sees the mean of the given coordinates. Bad parameters raise ValueError.");
  m.def("make_bunch", b::make_bunch, "parameters"_a, "beam"_a, "first_id"_a, "count"_a,
        "Initial coordinates (6, count) of the particles first_id, first_id + 1, …");
  m.def("check_line_parameters", b::check_parameters, "parameters"_a, "beam"_a, "segment"_a,
        "Raises ValueError for a parameter that the line does not use, except `seed`.");
  m.def("crab", b::crab, "coordinates"_a, "strength"_a, "frequency"_a, "phi"_a, "alpha"_a = 0.0,
        "undo"_a = false,
        "Coordinates (6, n) after a pair of crab cavities: frequency in Hz (0 = linear tilt), half "
        "crossing angle φ and plane α in rad; undo: after the pair that undoes the tilt.");
}
