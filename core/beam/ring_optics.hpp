// The optics of a ring about its closed orbit: what it has as a whole, and its course along the
// elements. Planes may be coupled: they are then those of the normal modes (Mais and Ripken, DESY
// M-82-05 (1982)), β of mode 1 in x and of mode 2 in y. Cavities move the closed orbit, but their
// focusing of z is left out of the transverse optics.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "beam/lattice.hpp"

namespace phasewise::beam {

// A plane at a place.
struct PlaneCourse {
  double beta = 0.0;                                // m
  double alpha = 0.0;                               // 1
  double phase = 0.0;                               // advance from the start, turns
  double dispersion = 0.0, dispersion_slope = 0.0;  // m, of px: 1
};

struct OpticsAt {
  double place = 0.0;  // m
  Place orbit{};
  std::array<PlaneCourse, 2> planes{};  // x, y
};

struct RingOptics {
  Place orbit{};  // where the ring begins and ends
  bool coupled = false;
  std::array<double, 2> tunes{};           // with whole turns
  std::array<double, 2> chromaticities{};  // dQ/dδ
  double slip = 0.0;                       // dz/dδ in a passage, on the dispersion orbit [m]
  std::optional<double> synchrotron_tune;  // if cavities bunch the beam
  std::vector<OpticsAt> along;             // at the start, and behind each part
};

// `along` has the start and, in the place of the ends of elements, these places [m], which ascend.
// Throws std::invalid_argument with one sentence if there is no closed orbit, or if the motion
// about it is unstable.
RingOptics ring_optics(const Lattice& lattice,
                       const std::optional<std::vector<double>>& places = std::nullopt);

}  // namespace phasewise::beam
