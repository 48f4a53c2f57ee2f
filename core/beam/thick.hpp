// Bodies of magnets with a length. The map of each is the exact flow of a Hamiltonian, with s as
// the independent variable, or of two Hamiltonians in turn, so that all maps are symplectic:
//   H = pζ(δ) - (1 + hx) [sqrt((1 + δ)² - px² - py²) + a_s],  pζ = (E - E0)/(β0 P0 c),
// in the canonical pairs (x, px), (y, py), (z, δ), with z = -βc Δt and ∂pζ/∂δ = β/β0. In the limit
// β0 = 1 this is the drift of fast beams (docs/physics.md). Forest, "Beam Dynamics" (1998).
//
// `map` works on numbers and, for derivatives, on Jets. A body can end anywhere: `of_length` gives
// another piece of it. `flops` are those of a push; a division or a root counts as ten, since it
// takes as long.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "beam/coordinates.hpp"
#include "beam/reference.hpp"
#include "numerics/elementary.hpp"
#include "parallel/macros.hpp"

namespace phasewise::beam {

inline constexpr double any_length = std::numeric_limits<double>::infinity();

struct Drift {
  static constexpr double flops = 85.0;

  Reference reference;
  double length = 0.0;  // m

  Drift of_length(double piece) const { return {reference, piece}; }
  double longest() const { return any_length; }

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    using std::sqrt;
    const Value p = 1.0 + c.delta, transverse = c.px * c.px + c.py * c.py;
    const Value ps = sqrt(p * p - transverse);
    c.x = c.x + length * (c.px / ps);
    c.y = c.y + length * (c.py / ps);
    c.z = c.z + length * (excess_velocity(c.delta, reference) - transverse / (ps * (ps + p)));
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }
};

// Computes cos sqrt(u) and sin sqrt(u)/sqrt(u) for u of either sign, to rounding for |u| <= 1.
template <class Value>
PHASEWISE_HD void focusing(const Value& u, Value& cosine, Value& sine) {
  const double even[9] = {2, 12, 30, 56, 90, 132, 182, 240, 306};
  const double odd[9] = {6, 20, 42, 72, 110, 156, 210, 272, 342};
  cosine = sine = 1.0;
  for (int n = 8; n >= 0; --n) {
    cosine = 1.0 - u * cosine * (1.0 / even[n]);
    sine = 1.0 - u * sine * (1.0 / odd[n]);
  }
}

// With a_s = -k1 (x² - y²)/2, the flow of (px² + py²)/2(1 + δ) + k1 (x² - y²)/2, a linear map for
// each δ, stands between two halves of the rest of the square root. The splitting errs by L³ k1
// px².
struct Quadrupole {
  static constexpr double flops = 370.0;

  Reference reference;
  double length = 0.0;  // m
  double k1 = 0.0;      // m⁻², focusing in x if positive

  Quadrupole of_length(double piece) const { return {reference, piece, k1}; }
  // The series of `focusing` hold up to δ = -1/2.
  double longest() const { return k1 == 0.0 ? any_length : std::sqrt(0.5 / std::fabs(k1)); }

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    beyond_paraxial(c, 0.5 * length);
    const Value p = 1.0 + c.delta;
    const Value kappa = k1 / p;
    // ∂H/∂δ = -(x'² + y'²)/2; twice the integral of x'² is (x'² + κx²) L plus the change of x x'.
    Value xs = c.px / p, ys = c.py / p;
    Value twice = plane(c.x, xs, kappa) + plane(c.y, ys, -kappa);
    c.px = xs * p;
    c.py = ys * p;
    c.z = c.z - 0.25 * twice;
    beyond_paraxial(c, 0.5 * length);
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }

 private:
  template <class Value>
  PHASEWISE_HD Value plane(Value& u, Value& slope, const Value& kappa) const {
    Value cosine, sine;
    focusing(kappa * (length * length), cosine, sine);
    const Value before = u * slope, kept = slope * slope + kappa * (u * u);
    const Value after = cosine * u + length * (sine * slope);
    slope = cosine * slope - length * (kappa * (sine * u));
    u = after;
    return length * kept + (u * slope - before);
  }
  template <class Value>
  PHASEWISE_HD void beyond_paraxial(CoordinatesOf<Value>& c, double piece) const {
    using std::sqrt;
    const Value p = 1.0 + c.delta, transverse = c.px * c.px + c.py * c.py;
    const Value ps = sqrt(p * p - transverse);
    const Value slope = piece * (transverse / ((p + ps) * (p * ps)));  // L (1/ps - 1/p)
    c.x = c.x + slope * c.px;
    c.y = c.y + slope * c.py;
    c.z = c.z + (piece * (excess_velocity(c.delta, reference) + transverse / (2.0 * p * p)) -
                 piece * (transverse / (ps * (ps + p))));
  }
};

// The exact map of a sector of uniform field k0 = h, without its edges. With q = ps - 1 - hx, (px,
// q) turns by the angle hL; the particle moves on its own circle by that angle and by the change of
// asin(px/p⊥).
struct SectorBend {
  static constexpr double flops = 185.0;

  Reference reference;
  double length = 0.0;     // m, along the reference orbit
  double curvature = 1.0;  // h, 1/m; not 0
  double sine = 0.0, cosine = 1.0;

  static SectorBend of(const Reference& reference, double length, double curvature) {
    const double angle = curvature * length;
    return {reference, length, curvature, std::sin(angle), std::cos(angle)};
  }
  SectorBend of_length(double piece) const { return of(reference, piece, curvature); }
  double longest() const { return any_length; }

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    using numerics::arcsine;
    using std::sqrt;
    const Value excess = c.delta * (2.0 + c.delta) - c.py * c.py;  // p⊥² - 1
    const Value ps = sqrt(1.0 + (excess - c.px * c.px));
    const Value q = (excess - c.px * c.px) / (ps + 1.0) - curvature * c.x;
    const Value px = cosine * c.px + sine * q;
    const Value after = sqrt(1.0 + (excess - px * px));
    c.x = ((excess - px * px) / (after + 1.0) - (cosine * q - sine * c.px)) / curvature;
    const Value extra = arcsine((c.px * after - px * ps) / (1.0 + excess)) / curvature;
    c.px = px;
    c.y = c.y + c.py * (length + extra);
    c.z = c.z + length * (excess_velocity(c.delta, reference) - c.delta) - (1.0 + c.delta) * extra;
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }
};

// A longitudinal field Bs with its hard edges, S = q Bs/2P0, in canonical momenta: the exact flow
// of -sqrt((1 + δ)² - (px + Sy)² - (py - Sx)²), whose root ps is constant. In the frame that turns
// by θ = S L/ps both planes focus alike.
struct Solenoid {
  static constexpr double flops = 155.0;

  Reference reference;
  double length = 0.0;         // m
  double half_strength = 0.0;  // S, 1/m

  Solenoid of_length(double piece) const { return {reference, piece, half_strength}; }
  // θ| <= 1 as long as ps >= 1/2.
  double longest() const {
    return half_strength == 0.0 ? any_length : 0.5 / std::fabs(half_strength);
  }

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    using std::sqrt;
    const Value p = 1.0 + c.delta;
    const Value kx = c.px + half_strength * c.y, ky = c.py - half_strength * c.x;
    const Value transverse = kx * kx + ky * ky, ps = sqrt(p * p - transverse);
    const Value advance = length / ps, theta = half_strength * advance;
    Value cosine, sine;
    focusing(theta * theta, cosine, sine);
    const Value push = advance * sine, pull = half_strength * (theta * sine);
    const Value x = cosine * c.x + push * c.px, px = cosine * c.px - pull * c.x;
    const Value y = cosine * c.y + push * c.py, py = cosine * c.py - pull * c.y;
    const Value turned = theta * sine;
    c.x = cosine * x + turned * y;
    c.y = cosine * y - turned * x;
    c.px = cosine * px + turned * py;
    c.py = cosine * py - turned * px;
    c.z = c.z + length * (excess_velocity(c.delta, reference) - transverse / (ps * (ps + p)));
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }
};

// A smooth channel, the flow of δ²/2γ0² + (px² + py² + κx x² + κy y² + γ0² κz z²)/2: x'' = -κx x,
// and likewise y and z, at any amplitude and momentum.
struct ConstantFocusing {
  static constexpr double flops = 15.0;

  struct Oscillator {
    double cosine = 1.0;
    double slide = 0.0;  // sin(kL)/k [m]
    double pull = 0.0;   // k sin(kL) [1/m]
  };
  Reference reference;
  double length = 0.0;   // m
  double strength[3]{};  // κx, κy, κz [m⁻²], not below 0
  Oscillator motion[3]{};

  static ConstantFocusing of(const Reference& reference, double length, const double (&kappa)[3]) {
    ConstantFocusing result{reference, length};
    for (int u = 0; u < 3; ++u) {
      const double k = std::sqrt(kappa[u]), phase = k * length;
      result.strength[u] = kappa[u];
      result.motion[u] = {std::cos(phase), k > 0.0 ? std::sin(phase) / k : length,
                          k * std::sin(phase)};
    }
    return result;
  }
  ConstantFocusing of_length(double piece) const { return of(reference, piece, strength); }
  // A phase of 2, so that phases can be counted from piece to piece.
  double longest() const {
    const double most = std::fmax(strength[0], std::fmax(strength[1], strength[2]));
    return most > 0.0 ? 2.0 / std::sqrt(most) : any_length;
  }

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    move(motion[0], 1.0, c.x, c.px);
    move(motion[1], 1.0, c.y, c.py);
    move(motion[2], reference.inverse_gamma2, c.z, c.delta);
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }

 private:
  // `rate` is u' over p.
  template <class Value>
  PHASEWISE_HD static void move(const Oscillator& m, double rate, Value& u, Value& p) {
    const Value before = u;
    u = m.cosine * before + (rate * m.slide) * p;
    p = m.cosine * p - (m.pull / rate) * before;
  }
};

}  // namespace phasewise::beam
