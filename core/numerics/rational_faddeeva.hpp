// The Faddeeva function w(z) = exp(-z²) erfc(-iz) in the upper half plane as a rational function of
// z, without a branch: a loop over many values runs on vectors.
//
// Weideman, SIAM J. Numer. Anal. 31 (1994) 1497, eq. 38 with N = 36: with L = sqrt(N/√2) and
// Z = (L + iz)/(L - iz),
//   w(z) ≈ 2 p(Z)/(L - iz)² + (1/√π)/(L - iz),   p(Z) = Σ_n a_(n+1) Z^n, n = 0 to N - 1,
//   a_n = (1/2M) Σ_k f(t_k) cos(n θ_k), θ_k = kπ/M, k = -M + 1 to M - 1, M = 2N,
//   f(t) = exp(-t²)(L² + t²), t_k = L tan(θ_k/2).
// The coefficients are real: p takes two multiply-adds for each by Goertzel's recurrence. The error
// stays below 1e-13 of |w|.
#pragma once

#include "numerics/faddeeva.hpp"
#include "parallel/fused.hpp"
#include "parallel/macros.hpp"

namespace phasewise::numerics {

// For x >= 0 and y >= 0, |z| < 1e70.
PHASEWISE_HD ComplexValue rational_faddeeva(double x, double y) {
  using parallel::fused;
  constexpr int terms = 36;
  constexpr double length = 5.045378491522287;  // L
  constexpr double inverse_root_pi = 0.56418958354775629;
  // a_36 to a_1
  const double a[terms] = {
      5.3563898078026112e-14,  -8.0463012422191508e-14, -3.2388608198908831e-13,
      4.4316203534205942e-13,  2.0980450657150433e-12,  -2.1170684261687968e-12,
      -1.431251938118637e-11,  6.3462718917105889e-12,  9.93931800163209e-11,
      3.1971919431769264e-11,  -6.6348471741784116e-10, -9.0922383520771489e-10,
      3.7734431235892297e-09,  1.1883887267443689e-08,  -1.0962277865439964e-08,
      -1.1303157194264793e-07, -1.2894842920234904e-07, 6.741655663822959e-07,
      2.7654086657435918e-06,  1.4187058478742642e-06,  -2.174118656552709e-05,
      -8.8177971418635452e-05, -0.0001139663064446328,  0.00046290316939981733,
      0.0035484447086995608,   0.013898253763251472,    0.041051043016577089,
      0.10084293371847966,     0.21501636320107409,     0.4073424189503343,
      0.69566219189710021,     1.081358037176589,       1.5401625788153654,
      2.0193976436113505,      2.4453784928519209,      2.7407450274098601};
  // 1/(L - iz), corrected by what it leaves of 1, and Z
  const double re = length + y, lost = y - (re - length);
  const double share = 1.0 / fused(re, re, x * x);
  const double near_re = re * share, near_im = x * share;
  const double left_re = fused(-lost, near_re, fused(-re, near_re, fused(-x, near_im, 1.0)));
  const double left_im = fused(-lost, near_im, fused(x, near_re, -(re * near_im)));
  const double inverse_re = fused(near_re, left_re, fused(-near_im, left_im, near_re));
  const double inverse_im = fused(near_re, left_im, fused(near_im, left_re, near_im));
  const double rest = length - y;
  const double z_re = fused(rest, inverse_re, -(x * inverse_im));
  const double z_im = fused(rest, inverse_im, x * inverse_re);
  // b_n = a_(n+1) + 2 Re Z b_(n+1) - |Z|² b_(n+2); then p = a_1 + Z b_1 - |Z|² b_2.
  const double twice = 2.0 * z_re, square = fused(z_re, z_re, z_im * z_im);
  double last = a[0], before = 0.0;
#pragma GCC unroll 36
  for (int k = 1; k < terms - 1; ++k) {
    const double next = fused(twice, last, fused(-square, before, a[k]));
    before = last;
    last = next;
  }
  const double p_re = fused(z_re, last, fused(-square, before, a[terms - 1])), p_im = z_im * last;
  // w = (2 p/(L - iz) + 1/√π)/(L - iz)
  const double sum_re = fused(2.0, fused(p_re, inverse_re, -(p_im * inverse_im)), inverse_root_pi);
  const double sum_im = 2.0 * fused(p_re, inverse_im, p_im * inverse_re);
  return {fused(sum_re, inverse_re, -(sum_im * inverse_im)),
          fused(sum_re, inverse_im, sum_im * inverse_re)};
}

}  // namespace phasewise::numerics
