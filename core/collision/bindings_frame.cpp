// The collision's frame as a map of given coordinates, for tests.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/coordinates.hpp"
#include "collision/build_point.hpp"
#include "collision/design_mesh.hpp"
#include "collision/passage.hpp"
#include "collision/strong_slices.hpp"

namespace nb = nanobind;

namespace phasewise::collision {
namespace {

bindings::Array into_frame(const std::string& text, int ip, int beam, std::int64_t turn,
                           const bindings::CoordinateArray& coordinates, bool back, bool alone) {
  const auto parameters = workload::Parameters::parse(text);
  const InteractionPoint point = build_point(parameters, ip);
  const CollisionFrame whole = frame_of(point, beam - 1, turn);
  const CollisionFrame frame = alone ? whole.insertions_alone() : whole;
  return bindings::map_coordinates(coordinates, [&](beam::Coordinates& c) {
    if (back)
      frame.leave(c);
    else
      frame.enter(c);
  });
}

// Coordinates [turns][6][n] after the insertions on both sides, each turn from the same ones.
bindings::Array passages(const std::string& text, int ip, int beam, std::int64_t first, int turns,
                         const bindings::CoordinateArray& coordinates) {
  const InteractionPoint point = build_point(workload::Parameters::parse(text), ip);
  const std::size_t n = coordinates.shape(1);
  std::vector<double> result;
  for (int turn = 0; turn < turns; ++turn) {
    const CollisionFrame frame = frame_of(point, beam - 1, first + turn).insertions_alone();
    const bindings::Array after = bindings::map_coordinates(coordinates, [&](beam::Coordinates& c) {
      frame.enter(c);
      frame.leave(c);
    });
    result.insert(result.end(), after.data(), after.data() + 6 * n);
  }
  return bindings::to_array(std::move(result), {static_cast<std::size_t>(turns), 6, n});
}

// The overlap of the design beams as Gaussian slices, per particle of each [1/m²].
double sliced_overlap(const std::string& text, int ip) {
  const auto parameters = workload::Parameters::parse(text);
  const InteractionPoint point = build_point(parameters, ip);
  std::array<std::vector<GaussianSlice>, 2> slices;
  for (int b = 0; b < 2; ++b) {
    CollidingBeam beam;
    const beam::Moments design = design_moments(parameters, b + 1, ip);
    const CollisionFrame frame = frame_of(point, b, 0, Errors::left_out);
    cut_beam(beam, design, frame, nullptr, point, b);
    slices[b] = strong_slices(design, frame, point.angle.cos_phi, beam.cuts, beam.moments.mean[4],
                              beam.moments.rms(4), 1.0);
  }
  double sum = 0.0;
  for (const GaussianSlice& one : slices[0])
    for (const GaussianSlice& two : slices[1]) {
      const double s = meeting_distance(one.z, two.z);
      sum += one.count * two.count * overlap(one, s, two, -s);
    }
  return sum;
}

}  // namespace

void bind_frame(nb::module_& m) {
  using namespace nb::literals;
  m.def(
      "into_collision", &into_frame, "parameters"_a, "ip"_a, "beam"_a, "turn"_a, "coordinates"_a,
      "back"_a = false, "alone"_a = false,
      "Coordinates (6, n) of a beam (1, 2) in the frame of a collision at interaction point `ip`, "
      "or back; alone: crab waist and listed crab cavities only.");
  m.def("passages", &passages, "parameters"_a, "ip"_a, "beam"_a, "first_turn"_a, "turns"_a,
        "coordinates"_a,
        "Coordinates (turns, 6, n) after crab waist and listed crab cavities on both sides, each "
        "turn from the same ones.");
  m.def("sliced_overlap", &sliced_overlap, "parameters"_a, "ip"_a,
        "Luminosity per crossing of the design beams as Gaussian slices, per particle of each "
        "[1/m²].");
}

}  // namespace phasewise::collision
