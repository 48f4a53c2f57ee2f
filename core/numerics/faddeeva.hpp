// The Faddeeva function w(z) = exp(-z²) erfc(-iz) in the upper half plane, to a few 1e-16 of |w|.
//
// Computes the integral w(z) = (i z/π) ∫ exp(-t²)/(z² - t²) dt by the trapezoidal or the midpoint
// rule with the correction for the pole at t = z: Al Azah, Chandler-Wilde, SIAM J. Numer. Anal. 59
// (2021) 2346, with 12 nodes at the spacing h = sqrt(π/12). It uses the rule whose nodes are
// farther from Re z.
#pragma once

#include "numerics/elementary.hpp"
#include "parallel/macros.hpp"

namespace phasewise::numerics {

struct ComplexValue {
  double re, im;
};

namespace faddeeva_rule {

inline constexpr int nodes = 12;
inline constexpr double inverse_h = 1.95441004761167969;
inline constexpr double pi_over_h = 6.13996024767893093;

// Σ_k a_k/(z² - t_k²), with the squares t_k² of the nodes and the weights a_k of one of the rules.
PHASEWISE_HD ComplexValue sum(ComplexValue z_squared, bool midpoint) {
  const double trapezoid_node[nodes] = {0.0,
                                        0.26179938779914944,
                                        1.0471975511965977,
                                        2.3561944901923449,
                                        4.188790204786391,
                                        6.5449846949787359,
                                        9.4247779607693797,
                                        12.828170002158322,
                                        16.755160819145564,
                                        21.205750411731104,
                                        26.179938779914944,
                                        31.677725923697082};
  const double trapezoid_weight[nodes] = {0.5,
                                          0.76966541249323981,
                                          0.35091980717841097,
                                          0.094780224842154853,
                                          0.01516461986454657,
                                          0.0014373060804075318,
                                          8.0699517570304599e-5,
                                          2.6840867930967433e-6,
                                          5.2884221169441573e-8,
                                          6.1724788652243096e-10,
                                          4.2677311354552247e-12,
                                          1.7479879405655013e-14};
  const double midpoint_node[nodes] = {
      0.065449846949787359, 0.58904862254808623, 1.636246173744684,  3.2070425005395806,
      5.3014376029327761,   7.9194314809242705,  11.061024134514064, 14.726215563702156,
      18.915005768488547,   23.627394748873237,  28.863382504856225, 34.622969036437513};
  const double midpoint_weight[nodes] = {
      0.93664602123659591,    0.55485491015985341,    0.1947095780852903,
      0.040476144603805742,   0.0049844231324685865,  0.00036360898638930447,
      1.571296901780048e-5,   4.0224054215648139e-7,  6.0998249159121596e-9,
      5.4796502397575271e-11, 2.9160317551794994e-13, 9.1925415251343727e-16};
  const double b2 = z_squared.im * z_squared.im;
  double re = 0.0;
  double im = 0.0;
  for (int k = 0; k < nodes; ++k) {
    const double node = midpoint ? midpoint_node[k] : trapezoid_node[k];
    const double weight = midpoint ? midpoint_weight[k] : trapezoid_weight[k];
    const double d = z_squared.re - node;
    const double q = weight / (d * d + b2);
    re += q * d;
    im += q;
  }
  return {re, -im * z_squared.im};
}

// 2 exp(-z²)/(1 ± exp(-2πi z/h)), with + for the midpoint rule; zero above Im z = π/h.
PHASEWISE_HD ComplexValue pole_correction(double x, double y, ComplexValue z_squared,
                                          bool midpoint) {
  constexpr double inverse_two_pi = 0.159154943091895335769;
  // A cap on exp(2πy/h) keeps its square finite; the quotient is below 1e-100 there.
  const double growth = 2.0 * pi_over_h * y;
  const double magnitude = exp_real(growth < 300.0 ? growth : 300.0);
  const double e = midpoint ? magnitude : -magnitude;
  double sine, cosine;
  sincos_turns(x * inverse_h, sine, cosine);
  const double denominator_re = 1.0 + e * cosine;
  const double denominator_im = -e * sine;
  const double amplitude = 2.0 * exp_real(y < pi_over_h ? -z_squared.re : -1000.0);
  sincos_turns(z_squared.im * inverse_two_pi, sine, cosine);
  const double scale =
      amplitude / (denominator_re * denominator_re + denominator_im * denominator_im);
  return {scale * (cosine * denominator_re - sine * denominator_im),
          -scale * (sine * denominator_re + cosine * denominator_im)};
}

}  // namespace faddeeva_rule

// For x >= 0 and y >= 0, |z| < 1e70.
PHASEWISE_HD ComplexValue faddeeva_quadrant(double x, double y) {
  constexpr double two_h_over_pi = 0.325735007935279948;
  constexpr double rounding_offset = 0x1.8p52;  // adding it rounds to integers
  const double place = x * faddeeva_rule::inverse_h;
  const double distance = place - ((place + rounding_offset) - rounding_offset);
  const bool midpoint = distance * distance < 0.0625;  // within h/4 of a trapezoidal node
  const ComplexValue z_squared{(x - y) * (x + y), 2.0 * x * y};
  const ComplexValue sum = faddeeva_rule::sum(z_squared, midpoint);
  const ComplexValue correction = faddeeva_rule::pole_correction(x, y, z_squared, midpoint);
  return {correction.re - two_h_over_pi * (x * sum.im + y * sum.re),
          correction.im + two_h_over_pi * (x * sum.re - y * sum.im)};
}

// For y >= 0; w(-x + iy) is the conjugate of w(x + iy).
PHASEWISE_HD ComplexValue faddeeva(double x, double y) {
  const ComplexValue w = faddeeva_quadrant(x < 0.0 ? -x : x, y);
  return {w.re, x < 0.0 ? -w.im : w.im};
}

}  // namespace phasewise::numerics
