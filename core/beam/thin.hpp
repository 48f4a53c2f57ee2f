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

// The edge of a bend, as a linear map: px → px + h tan(e) x, py → py - h tan(e - ψ) y, with ψ = 2 h
// g f (1 + sin² e)/cos e for a half gap g and a fringe integral f. Brown, SLAC-75 (1982).
struct DipoleEdge {
  static constexpr double flops = 4.0;

  double focus_x = 0.0, focus_y = 0.0;  // 1/m

  static DipoleEdge of(double curvature, double angle, double half_gap, double fringe) {
    const double s = std::sin(angle);
    const double lessened = 2.0 * curvature * half_gap * fringe * (1.0 + s * s) / std::cos(angle);
    return {curvature * std::tan(angle), curvature * std::tan(angle - lessened)};
  }

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    c.px = c.px + focus_x * c.x;
    c.py = c.py - focus_y * c.y;
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }
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
