#include "beam/ring_optics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <variant>

#include "beam/closed_orbit.hpp"
#include "beam/normal_modes.hpp"
#include "beam/periodic.hpp"
#include "numerics/constants.hpp"

namespace phasewise::beam {
namespace {

using numerics::two_pi;
using Vector = std::array<double, 6>;

std::vector<Element> without_gaps(std::vector<Element> elements) {
  std::erase_if(elements, [](const Element& e) { return std::holds_alternative<RfGap>(e); });
  return elements;
}

// A part of a lattice, to the place [m] where it ends.
struct Part {
  std::vector<Element> elements;
  double end = 0.0;
};

std::vector<Part> parts_of(const Lattice& lattice,
                           const std::optional<std::vector<double>>& places) {
  std::vector<Part> result;
  double at = 0.0;
  if (places) {
    for (const double place : *places) {
      result.push_back({lattice.between(at, place), place});
      at = place;
    }
    if (at < lattice.length()) result.push_back({lattice.between(at, lattice.length()), -1.0});
    return result;
  }
  for (std::size_t i = 0; i < lattice.size(); ++i) {
    at += lattice.length_of(i);
    result.push_back({lattice.element(i), at});
  }
  return result;
}

// How a passage's matrix changes along a direction u: dM_ij = Σ_k (T_ijk + T_ikj) u_k.
Square matrix_slope(const SecondOrder& passage, const Vector& u) {
  Square result{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 0; k < 6; ++k)
        result[i][j] +=
            (j == k ? 2.0 : 1.0) * passage.quadratic[i][SecondOrder::index(j, k)] * u[k];
  return result;
}

// Computes a·Ω·M⁻¹·v = (M a)·Ω·v in the transverse dimensions.
double transverse_product(const Vector& carried, const Vector& v) {
  return (carried[0] * v[1] - carried[1] * v[0]) + (carried[2] * v[3] - carried[3] * v[2]);
}

// dQ/dδ of a mode: a kick K ahead of a passage shifts the phase by -½ (a·Ω·K a + b·Ω·K b).
double chromaticity(const NormalMode& mode, const Square& passage, const Square& slope) {
  double sum = 0.0;
  for (const Vector& v : {mode.a, mode.b})
    sum += transverse_product(applied(passage, v), applied(slope, v));
  return -0.5 * sum / two_pi;
}

// The course of a mode's plane: x = a cos φ - b sin φ = sqrt(β) cos(φ + ψ).
class ModeCourse {
 public:
  explicit ModeCourse(const NormalMode& mode) : mode_(mode), angle_(angle()) {}

  void carry(const Square& map) {
    mode_.a = applied(map, mode_.a);
    mode_.b = applied(map, mode_.b);
    const double after = angle();
    const double turns = (after - angle_) / two_pi;
    // An element advances by less than 3/4 of a turn, and no more than by rounding backwards.
    phase_ += turns - std::floor(turns + 0.25);
    angle_ = after;
  }
  double phase() const { return phase_; }

  PlaneCourse at(const Vector& dispersion) const {
    const int u = 2 * mode_.plane;
    const double x = mode_.a[u], y = mode_.b[u];
    return {x * x + y * y, -(x * mode_.a[u + 1] + y * mode_.b[u + 1]), phase_, dispersion[u],
            dispersion[u + 1]};
  }

 private:
  double angle() const { return std::atan2(mode_.b[2 * mode_.plane], mode_.a[2 * mode_.plane]); }

  NormalMode mode_;
  double angle_;
  double phase_ = 0.0;
};

std::optional<double> synchrotron_tune(const ClosedOrbit& orbit) {
  if (!orbit.bunched) return std::nullopt;
  try {
    return std::fabs(normal_modes(square_of(orbit.map.rows), 6).back().phase);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace

RingOptics ring_optics(const Lattice& lattice, const std::optional<std::vector<double>>& places) {
  const std::vector<Element> elements = lattice.whole();
  const ClosedOrbit whole = closed_orbit(elements);
  const ClosedOrbit orbit =
      whole.bunched ? closed_orbit(without_gaps(elements), whole.start[5]) : whole;
  const Square passage = square_of(orbit.map.rows);
  const std::vector<NormalMode> modes = normal_modes(passage, 4);
  Vector dispersion = periodic_dispersion(orbit.map);
  const Square slope = matrix_slope(orbit.map, dispersion);
  RingOptics result;
  result.orbit = whole.start;
  result.coupled = couples(orbit.map);
  result.slip = applied(passage, dispersion)[4];
  result.synchrotron_tune = synchrotron_tune(whole);
  std::array<ModeCourse, 2> courses{ModeCourse(modes[0]), ModeCourse(modes[1])};
  Place at = orbit.start;
  const auto append = [&](double place) {
    result.along.push_back({place, at, {courses[0].at(dispersion), courses[1].at(dispersion)}});
  };
  append(0.0);
  for (const Part& whole_part : parts_of(lattice, places)) {
    // A piece has less than half an oscillation, so that its phase advance is unique.
    for (const Element& piece : without_gaps(whole_part.elements)) {
      const Passage part = expansion_about(at, {piece}).first;
      const Square map = square_of(part.map.rows);
      at = part.end;
      dispersion = applied(map, dispersion);
      for (ModeCourse& course : courses) course.carry(map);
    }
    if (whole_part.end >= 0.0) append(whole_part.end);
  }
  for (int k = 0; k < 2; ++k) {
    result.tunes[k] = courses[k].phase();
    result.chromaticities[k] = chromaticity(modes[k], passage, slope);
  }
  return result;
}

}  // namespace phasewise::beam
