// A bend with a gradient. With p = 1 + δ, ps² = p² - px² - py² and g = p - ps, the Hamiltonian of
// beam/thick.hpp with the gradient
//   (1 + hx) a_s = -hx - h² x²/2 - k1 [x²/2 + hx³/3 - (1 + hx) y²/2],
// which satisfies Maxwell's equations up to terms of h² y⁴, is the sum of
//   A = pζ - p - hxδ + (px² + py²)/2p + (h² + k1) x²/2 - k1 y²/2   and
//   B = g²/2p + hxg + h k1 (x³/3 - xy²/2).
// A is linear for each δ and has an exact flow, with kx = h² + k1 in x: the body. B is of third
// order, so that it changes neither the matrix nor the tunes: it is kicked between slices. Forest,
// "Beam Dynamics" (1998).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "beam/thick.hpp"

namespace phasewise::beam {

// Computes (1 - cos √u)/u and (√u - sin √u)/√u³ for u of either sign, to rounding for |u| <= 1/8:
// the terms that follow are below 1e-16 of the first.
template <class Value>
PHASEWISE_HD void bending_series(const Value& u, Value& of_cosine, Value& of_sine) {
  constexpr double even[6] = {1.0 / 2,      -1.0 / 24,     1.0 / 720,
                              -1.0 / 40320, 1.0 / 3628800, -1.0 / 479001600};
  constexpr double odd[6] = {1.0 / 6,       -1.0 / 120,     1.0 / 5040,
                             -1.0 / 362880, 1.0 / 39916800, -1.0 / 6227020800};
  of_cosine = even[5];
  of_sine = odd[5];
  for (int n = 4; n >= 0; --n) {
    of_cosine = even[n] + u * of_cosine;
    of_sine = odd[n] + u * of_sine;
  }
}

// The flow of A.
struct CombinedBend {
  static constexpr double flops = 160.0;

  Reference reference;
  double length = 0.0;     // m, along the reference orbit
  double curvature = 0.0;  // h, 1/m
  double k1 = 0.0;         // m⁻²

  CombinedBend of_length(double piece) const { return {reference, piece, curvature, k1}; }
  // The series hold up to δ = -1/2.
  double longest() const {
    const double strongest = std::max(std::fabs(curvature * curvature + k1), std::fabs(k1));
    return strongest == 0.0 ? any_length : 0.25 / std::sqrt(strongest);
  }

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    const Value p = 1.0 + c.delta, inverse = 1.0 / p;
    Value xs = inverse * c.px, ys = inverse * c.py, along;
    const Value f = curvature * (c.delta * inverse);
    const Value in_x = bent(c.x, xs, (curvature * curvature + k1) * inverse, f, along);
    const Value in_y = straight(c.y, ys, -k1 * inverse);
    c.px = xs * p;
    c.py = ys * p;
    // ∂A/∂δ = β/β0 - 1 - hx - (x'² + y'²)/2
    c.z = c.z +
          (length * excess_velocity(c.delta, reference) - curvature * along - 0.25 * (in_x + in_y));
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }

 private:
  // Solves x'' = f - κx. Sets `along` to the integral of x, and returns twice that of x'², which is
  // (x'² + κx² - 2fx) L plus the change of x x' plus f times the integral of x.
  template <class Value>
  PHASEWISE_HD Value bent(Value& x, Value& slope, const Value& kappa, const Value& f,
                          Value& along) const {
    const Value u = kappa * (length * length), pull = f - kappa * x;
    Value of_cosine, of_sine;
    bending_series(u, of_cosine, of_sine);
    const Value before = x * slope, kept = slope * slope - x * (pull + f);
    along = length * (x + length * (of_cosine * slope + length * (of_sine * pull)));
    advance(x, slope, u, pull, of_cosine, of_sine);
    return length * kept + (x * slope - before) + f * along;
  }
  // Likewise of y'' = -κy.
  template <class Value>
  PHASEWISE_HD Value straight(Value& y, Value& slope, const Value& kappa) const {
    const Value u = kappa * (length * length), pull = kappa * y;
    Value of_cosine, of_sine;
    bending_series(u, of_cosine, of_sine);
    const Value before = y * slope, kept = slope * slope + y * pull;
    advance(y, slope, u, -pull, of_cosine, of_sine);
    return length * kept + (y * slope - before);
  }
  // x + x' L sin √u/√u + x'' (1 - cos √u)/κ, with x'' at the entry, and its slope.
  template <class Value>
  PHASEWISE_HD void advance(Value& x, Value& slope, const Value& u, const Value& pull,
                            const Value& of_cosine, const Value& of_sine) const {
    const Value sine = length * (1.0 - u * of_sine);
    x = x + (sine * slope + (length * length) * (of_cosine * pull));
    slope = slope + (sine * pull - u * (of_cosine * slope));
  }
};

// The flow of B over a slice, of its parts in turn.
struct CombinedBendRest {
  static constexpr double flops = 120.0;

  double length = 0.0;     // of the slice, m
  double curvature = 0.0;  // h, 1/m
  double k1 = 0.0;         // m⁻²

  template <class Value>
  PHASEWISE_HD void map(CoordinatesOf<Value>& c) const {
    half_gradient(c);
    root(c);
    half_gradient(c);
  }
  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const { map(c); }

 private:
  // Half of the slice of h k1 (x³/3 - xy²/2).
  template <class Value>
  PHASEWISE_HD void half_gradient(CoordinatesOf<Value>& c) const {
    const double strength = 0.5 * length * curvature * k1;
    c.px = c.px - strength * (c.x * c.x - 0.5 * (c.y * c.y));
    c.py = c.py + strength * (c.x * c.y);
  }
  // g²/2p, and then hxg. The order matters by terms of fifth order in the momenta. hxg changes px
  // by a function Φ of the momenta, px' = -hg, here to second order in the slice; a change of
  // momenta alone is canonical with old positions Σ (new position)_j ∂Φ_j/∂p.
  template <class Value>
  PHASEWISE_HD void root(CoordinatesOf<Value>& c) const {
    using std::sqrt;
    const double a = length * curvature, half = 0.5 * a * a;
    const Value p = 1.0 + c.delta, transverse = c.px * c.px + c.py * c.py;
    const Value ps = sqrt(p * p - transverse), sum = p + ps;
    const Value inverse = 1.0 / (p * (ps * sum));
    const Value by_ps = inverse * (p * sum), g = transverse * (inverse * (p * ps));
    // ∂/∂δ (g²/2p) = -(g/(p ps)) (g + g ps/2p)
    const Value slope = length * (transverse * inverse), small = transverse * inverse;
    c.x = c.x + slope * c.px;
    c.y = c.y + slope * c.py;
    c.z = c.z - slope * (small * (ps * (p + 0.5 * ps)));
    const Value sx = c.px * by_ps, sy = c.py * by_ps, sg = g * by_ps;
    const Value by_px = 1.0 - a * sx + half * (sx * sx + sg * (1.0 + sx * sx));
    const Value by_py = half * (sx * (sy * (1.0 + sg))) - a * sy;
    const Value by_delta = a * sg - half * (sx * (sg * (1.0 + p * by_ps)));
    c.x = c.x / by_px;
    c.y = c.y - c.x * by_py;
    c.z = c.z - c.x * by_delta;
    c.px = c.px - a * g + half * (g * sx);
  }
};

}  // namespace phasewise::beam
