// The field of a two-dimensional Gaussian charge by two forms without branches, so that a loop over
// particles runs on vectors. A caller takes the form that the aspect asks for: is_nearly_round.
// bassetti_erskine.hpp holds the same field by plain means.
//
// flat_field is that of Bassetti and Erskine, CERN-ISR-TH/80-06 (1980). Its error grows as 1/sqrt(1
// - σ2/σ1), which is infinite for a round charge.
//
// nearly_round_field expands in d = (σ1² - σ2²)/2 about the round charge of s = (σ1² + σ2²)/2. With
// z = x + iy, ∂ = ∂/∂z and ∂* = ∂/∂z*, F = Ex - iEy = -2∂u. By the heat equation
//   F = exp(d(∂² + ∂*²)) F0,   F0 = (1 - exp(-q))/z,   q = |z|²/2s.
// Since ∂*F = πρ, with ρ the density of the charge itself,
//   F = exp(d∂²) F0 - Σ_k (-d)^k/k! ∂*^(2k-1) πρ, k >= 1.
// The first part is Σ_k d^k/k! b^(2k+1) E_2k(q) with b = z*/2s and E_m(q) = ∫₀¹ τ^m exp(-qτ) dτ. In
// the second one ∂*^n ρ = (-1)^n H_n ρ with H_(n+1) = l H_n + n h H_(n-1), H_0 = 1,
// l = (x/σ1² + iy/σ2²)/2, h = d/(2σ1²σ2²). What is left out is d^7 of the field.
#pragma once

#include <cmath>

#include "field/bassetti_erskine.hpp"
#include "field/rolled_gaussian.hpp"
#include "numerics/elementary.hpp"
#include "numerics/rational_faddeeva.hpp"
#include "parallel/fused.hpp"
#include "parallel/macros.hpp"

namespace phasewise::field {

// The variances [m²] along the principal axes, variance_1 >= variance_2 > 0; the first axis points
// along (cosine, sine), the second one at a right angle to it.
struct OrderedAxes {
  double cosine, sine;
  double variance_1, variance_2;
};

// Of a charge whose axes are x and y.
PHASEWISE_HD OrderedAxes upright_axes(double xx, double yy) {
  const bool tall = yy > xx;
  return {tall ? 0.0 : 1.0, tall ? 1.0 : 0.0, tall ? yy : xx, tall ? xx : yy};
}

// Of any charge. The variances are kept above the larger and the smaller one of `least`.
PHASEWISE_HD OrderedAxes rolled_axes(const Covariance& c, double least_1, double least_2) {
  const double half = 0.5 * (c.xx - c.yy);
  const double radius = std::sqrt(half * half + c.xy * c.xy);
  const double inverse = radius > 0.0 ? 1.0 / radius : 0.0;
  const double flat = radius > 0.0 ? std::fabs(half) * inverse : 1.0;
  // The angle is that of the larger variance; of the two half-angle forms the one that adds is
  // used.
  const double major = std::sqrt(0.5 * (1.0 + flat));
  const double minor = 0.5 * c.xy * inverse / major;
  const bool wide = half >= 0.0;
  const double larger = 0.5 * (c.xx + c.yy) + radius;
  const double smaller = (c.xx * c.yy - c.xy * c.xy) / larger;
  const double least_large = least_1 > least_2 ? least_1 : least_2;
  const double least_small = least_1 > least_2 ? least_2 : least_1;
  return {wide ? major : std::fabs(minor), wide ? minor : std::copysign(major, c.xy),
          larger > least_large ? larger : least_large,
          smaller > least_small ? smaller : least_small};
}

// Whether the charge is closer to round than σ2/σ1 = 0.985, where the form by w is good
// to 1e-14 of the largest field.
PHASEWISE_HD bool is_nearly_round(double variance_1, double variance_2) {
  constexpr double least = 0.985 * 0.985;
  return variance_2 > least * variance_1;
}

// At (x, y) along the principal axes from the centre of a unit charge that is not nearly round.
PHASEWISE_HD GaussianField flat_field(double x, double y, double variance_1, double variance_2) {
  using parallel::fused;
  constexpr double root_pi = 1.7724538509055161;
  const double inverse = 1.0 / (variance_1 - variance_2);
  const double inverse_1 = 1.0 / variance_1, inverse_2 = 1.0 / variance_2;
  const double ratio = std::sqrt(variance_2 * inverse_1);
  const double inverse_ratio = std::sqrt(variance_1 * inverse_2);
  const double scale = std::sqrt(0.5 * inverse);
  const double ax = std::fabs(x) * scale, ay = std::fabs(y) * scale;
  const double density = numerics::exp_real(-0.5 * fused(x * x, inverse_1, y * y * inverse_2));
  const numerics::ComplexValue w1 = numerics::rational_faddeeva(ax, ay);
  const numerics::ComplexValue w2 = numerics::rational_faddeeva(ax * ratio, ay * inverse_ratio);
  const double strength = root_pi * scale;
  const double ex = std::copysign(strength * fused(-density, w2.im, w1.im), x);
  const double ey = std::copysign(strength * fused(-density, w2.re, w1.re), y);
  const double moment = fused(x, ex, fused(y, ey, -1.0));
  const double half = 0.5 * inverse;
  return {ex, ey, half * fused(density, ratio, moment),
          -half * fused(density, inverse_ratio, moment), inverse * fused(x, ey, -(y * ex))};
}

namespace near_round {

inline constexpr int order = 6;  // of the expansion in d
inline constexpr int integrals = 2 * order + 2;

// E_0 to E_13 at q >= 0: by the recurrence from E_0 for q > 1, where the digits that it loses are
// those that d^k takes off again, else by that from E_13, which is summed as a series.
PHASEWISE_HD void exponential_integrals(double q, double* e) {
  using parallel::fused;
  constexpr int last = integrals - 1;
  constexpr int series = 9;
  const double falling = numerics::exp_real(-q);
  const bool up = q > 1.0;
  const double inverse = 1.0 / (up ? q : 1.0), low = up ? 1.0 : q;
  double sum = 1.0;
#pragma GCC unroll 16
  for (int n = series; n > 0; --n) sum = fused(sum, low * (1.0 / (last + 1 + n)), 1.0);
  double down[integrals];
  down[last] = falling * sum * (1.0 / (last + 1));
#pragma GCC unroll 16
  for (int m = last - 1; m >= 0; --m) down[m] = fused(low, down[m + 1], falling) * (1.0 / (m + 1));
  double value = (1.0 - falling) * inverse;
  e[0] = up ? value : down[0];
#pragma GCC unroll 16
  for (int m = 1; m <= last; ++m) {
    value = fused(static_cast<double>(m), value, -falling) * inverse;
    e[m] = up ? value : down[m];
  }
}

PHASEWISE_HD numerics::ComplexValue times(numerics::ComplexValue a, numerics::ComplexValue b) {
  return {parallel::fused(a.re, b.re, -(a.im * b.im)), parallel::fused(a.re, b.im, a.im * b.re)};
}

// Σ_k t^k/k! e[2k + odd] for k = 0 to `order`.
PHASEWISE_HD numerics::ComplexValue sum_of_powers(numerics::ComplexValue t, const double* e,
                                                  int odd) {
  numerics::ComplexValue sum{e[2 * order + odd], 0.0};
#pragma GCC unroll 8
  for (int k = order - 1; k >= 0; --k) {
    const double share = 1.0 / (k + 1);
    sum = times({share * t.re, share * t.im}, sum);
    sum.re += e[2 * k + odd];
  }
  return sum;
}

}  // namespace near_round

// As flat_field, of a charge that is nearly round.
PHASEWISE_HD GaussianField nearly_round_field(double x, double y, double variance_1,
                                              double variance_2) {
  using numerics::ComplexValue;
  using parallel::fused;
  const double d = 0.5 * (variance_1 - variance_2);
  const double inverse_2s = 1.0 / (variance_1 + variance_2);
  const ComplexValue b{x * inverse_2s, -y * inverse_2s};
  double e[near_round::integrals];
  near_round::exponential_integrals(fused(x, b.re, -(y * b.im)), e);
  const ComplexValue b2 = near_round::times(b, b);
  const ComplexValue t{d * b2.re, d * b2.im};
  const ComplexValue f0 = near_round::times(b, near_round::sum_of_powers(t, e, 0));
  const ComplexValue g0 = near_round::times(b2, near_round::sum_of_powers(t, e, 1));  // -∂ of it
  const double inverse_1 = 1.0 / variance_1, inverse_2 = 1.0 / variance_2;
  const double product = inverse_1 * inverse_2;
  const double u = x * inverse_1, v = y * inverse_2;
  const double density =  // πρ
      0.5 * std::sqrt(product) * numerics::exp_real(-0.5 * fused(x, u, y * v));
  const ComplexValue l{0.5 * u, 0.5 * v};
  const double h = 0.5 * d * product, g = 0.25 * (inverse_1 + inverse_2);  // g = ∂l
  // Σ (-d)^k/k! H_n and Σ (-d)^k/k! (n g H_(n-1) - l* H_n), n = 2k - 1
  ComplexValue before{1.0, 0.0}, last = l, f1{0.0, 0.0}, g1{0.0, 0.0};
  double share = 1.0;
#pragma GCC unroll 8
  for (int k = 1; k <= near_round::order; ++k) {
    const int n = 2 * k - 1;
    share *= -d * (1.0 / k);
    const ComplexValue fall = near_round::times({l.re, -l.im}, last);
    f1.re = fused(share, last.re, f1.re);
    f1.im = fused(share, last.im, f1.im);
    g1.re = fused(share, fused(n * g, before.re, -fall.re), g1.re);
    g1.im = fused(share, fused(n * g, before.im, -fall.im), g1.im);
    ComplexValue next = near_round::times(l, last);
    before = {fused(n * h, before.re, next.re), fused(n * h, before.im, next.im)};
    next = near_round::times(l, before);
    last = {fused((n + 1) * h, last.re, next.re), fused((n + 1) * h, last.im, next.im)};
  }
  // Far away the density is 0, whatever the powers of l have become.
  const bool far = density == 0.0;
  const double f_re = far ? f0.re : fused(density, f1.re, f0.re);
  const double f_im = far ? f0.im : fused(density, f1.im, f0.im);
  const double g_re = far ? -g0.re : fused(density, g1.re, -g0.re);
  const double g_im = far ? -g0.im : fused(density, g1.im, -g0.im);
  return {f_re, -f_im, -0.5 * (density + g_re), -0.5 * (density - g_re), g_im};
}

// At (x, y) along the principal axes: the form that the aspect asks for.
PHASEWISE_HD GaussianField lane_field(double x, double y, double variance_1, double variance_2) {
  return is_nearly_round(variance_1, variance_2) ? nearly_round_field(x, y, variance_1, variance_2)
                                                 : flat_field(x, y, variance_1, variance_2);
}

// The field in the axes, as seen along x and y.
PHASEWISE_HD GaussianField turned_back(const GaussianField& f, double cosine, double sine) {
  const double cc = cosine * cosine, ss = sine * sine, cs = cosine * sine;
  return {cosine * f.ex - sine * f.ey, sine * f.ex + cosine * f.ey,
          cc * f.potential_sxx - cs * f.potential_sxy + ss * f.potential_syy,
          ss * f.potential_sxx + cs * f.potential_sxy + cc * f.potential_syy,
          2.0 * cs * (f.potential_sxx - f.potential_syy) + (cc - ss) * f.potential_sxy};
}

}  // namespace phasewise::field
