// Kicks at one place: multipoles, edges of bends, an RF gap. Each changes momenta by the gradient
// of one potential, and is therefore symplectic. `map` is as in beam/thick.hpp.
#pragma once

#include <cmath>
#include <cstdint>

#include "beam/coordinates.hpp"
#include "beam/reference.hpp"
#include "numerics/elementary.hpp"
#include "parallel/macros.hpp"

namespace phasewise::beam {

// Δpx - iΔpy = -Σ (kn + i ks)_n (x + iy)^n/n!, with the strengths k_n L of order n = 0 (dipole) …
struct Multipole {
  static constexpr double flops = 52.0;
  static constexpr int orders = 6;                // up to the dodecapole
  double normal[orders] = {}, skew[orders] = {};  // m^-n

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    Value re = normal[orders - 1], im = skew[orders - 1];
    for (int n = orders - 2; n >= 0; --n) {
      const double part = 1.0 / (n + 1);
      const Value next = normal[n] + part * (c.x * re - c.y * im);
      im = skew[n] + part * (c.x * im + c.y * re);
      re = next;
    }
    c.px = c.px - re;
    c.py = c.py + im;
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }
};

// The edge of a bend of curvature h and gradient k1 whose face is turned by e, with t = tan e: the
// linear map px → px + h t x, py → py - h tan(e - ψ) y, with ψ = 2 h g f (1 + sin² e)/cos e for a
// half gap g and a fringe integral f, and the terms of second order of a hard edge. These are, with
// σ = 1 at the entry and -1 at the exit, the flow of
//   F = σ h [px y²/cos² e - t² (x² px - 2 x y py)]/2(1 + δ),
// next to the magnet's outside, and the kick px → px + A x² + B y², py → py + 2B x y of the face, A
// = k1 t + h² t³/2 and B = -k1 t + h² t³/2, beside the linear map. Together they give the second
// order of Brown, SLAC-75 (1982), for plane faces; the flow is made in two parts, each exact.
struct DipoleEdge {
  static constexpr double flops = 60.0;

  double focus_x = 0.0, focus_y = 0.0;  // 1/m
  double face_x = 0.0, face_y = 0.0;    // A, B, 1/m²
  double fringe = 0.0, tilt = 0.0;      // σ h/cos² e, σ h t², 1/m
  bool entry = true;

  struct Shape {
    double curvature = 0.0, angle = 0.0, half_gap = 0.0, integral = 0.0, k1 = 0.0;
  };
  // order: 1, or 2 with the terms of second order.
  static DipoleEdge of(const Shape& shape, bool entry, int order) {
    const double h = shape.curvature, s = std::sin(shape.angle), c = std::cos(shape.angle);
    const double t = std::tan(shape.angle);
    const double lessened = 2.0 * h * shape.half_gap * shape.integral * (1.0 + s * s) / c;
    DipoleEdge result{.focus_x = h * t, .focus_y = h * std::tan(shape.angle - lessened)};
    result.entry = entry;
    if (order < 2) return result;
    const double curved = 0.5 * h * h * t * t * t, side = entry ? h : -h;
    result.face_x = curved + shape.k1 * t;
    result.face_y = curved - shape.k1 * t;
    result.fringe = side / (c * c);
    result.tilt = side * t * t;
    return result;
  }

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    if (entry) {
      pass_fringe(c);
      pass_tilt(c);
    }
    const Value x = c.x, y = c.y;
    c.px = c.px + (focus_x * x + (face_x * (x * x) + face_y * (y * y)));
    c.py = c.py - (focus_y * y - 2.0 * face_y * (x * y));
    if (!entry) {
      pass_tilt(c);
      pass_fringe(c);
    }
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }

 private:
  // The flow of fringe px y²/2(1 + δ), which keeps px and y.
  template <class Value>
  PHASEWISE_HD void pass_fringe(CoordinatesOf<Value>& c) const {
    const Value inverse = 1.0 / (1.0 + c.delta), strength = fringe * inverse;
    const Value half = 0.5 * (c.y * c.y);
    c.x = c.x + strength * half;
    c.py = c.py - strength * (c.px * c.y);
    c.z = c.z - (strength * inverse) * (c.px * half);
  }
  // The flow of -tilt (x² px - 2 x y py)/2(1 + δ), which maps x and y by themselves.
  template <class Value>
  PHASEWISE_HD void pass_tilt(CoordinatesOf<Value>& c) const {
    const Value inverse = 1.0 / (1.0 + c.delta), half = (0.5 * tilt) * inverse;
    const Value stretch = 1.0 + half * c.x, square = stretch * stretch;
    c.z = c.z + (half * inverse) * (c.x * (c.x * c.px - 2.0 * (c.y * c.py)));
    c.px = square * c.px - (2.0 * half) * (stretch * (c.y * c.py));
    c.py = c.py / square;
    c.x = c.x / stretch;
    c.y = c.y * square;
  }
};

// A gap with a sinusoidal voltage: the energy changes by qV [sin 2π(φ + f ζ/β0c) - sin 2πφ] where
// the particle is ζ = z β0/β, so that pζ = (E - E0)/(β0 P0 c) is kicked at fixed ζ. As in the
// element `rf`, the reference particle regains in the gap what it loses elsewhere.
struct RfGap {
  static constexpr double flops = 115.0;

  Reference reference;
  double kick = 0.0;            // qV/(β0² E0)
  double phase = 0.0;           // φ, turns
  double wave_number = 0.0;     // f/(β0 c), turns/m
  double reference_sine = 0.0;  // sin 2πφ

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    using numerics::sincos_turns;
    using std::sqrt;
    const Value e = energy_ratio(c.delta, reference);
    const Value zeta = c.z * (e / (1.0 + c.delta));  // β0/β = (E/E0)/(P/P0)
    Value sine, cosine;
    sincos_turns(phase + wave_number * zeta, sine, cosine);
    const Value pt = c.delta * (2.0 + c.delta) / (e + 1.0) + kick * (sine - reference_sine);
    // (1 + δ)² = 1 + 2 pζ + β0² pζ²
    const Value excess = pt * (2.0 + reference.beta2 * pt);
    c.delta = excess / (1.0 + sqrt(1.0 + excess));
    c.z = zeta * ((1.0 + c.delta) / (1.0 + reference.beta2 * pt));
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }
};

}  // namespace phasewise::beam
