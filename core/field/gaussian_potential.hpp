// The potential of a two-dimensional Gaussian charge, u = -ln r far away. By the heat equation the
// charge that is spread to variances σx² + t, σy² + t has ∂u/∂t = -½ exp(-½x²/(σx² + t) - ½y²/(σy²
// + t))/sqrt((σx² + t)(σy² + t)). Relative to its centre, where u = γ/2 - ln((σx + σy)/√2) (γ:
// Euler's constant), and with g² = σy² + t, Δ = σx² - σy² >= 0,
//   u(x, y) = u(0, 0) - ∫ (1 - exp(-½x²/(Δ + g²) - ½y²/g²)) g/sqrt(Δ + g²) d(ln g), g > σy.
#pragma once

#include <cmath>

#include "numerics/elementary.hpp"
#include "parallel/macros.hpp"

namespace phasewise::field {

// At (x, y) from the centre of a unit charge; all lengths are in m, and both sizes above 0.
// Accurate to 2e-7.
PHASEWISE_HD double gaussian_potential(double x, double y, double sigma_x, double sigma_y) {
  // Gauss-Legendre rule on (0, 1), applied in panels of the logarithm of g.
  constexpr int nodes = 8;
  const double node[nodes] = {0.019855071751231884, 0.10166676129318663, 0.23723379504183550,
                              0.40828267875217510,  0.59171732124782490, 0.76276620495816450,
                              0.89833323870681337,  0.98014492824876812};
  const double weight[nodes] = {0.050614268145188130, 0.11119051722668724, 0.15685332293894364,
                                0.18134189168918099,  0.18134189168918099, 0.15685332293894364,
                                0.11119051722668724,  0.050614268145188130};
  constexpr double half_gamma = 0.28860783245076643;
  constexpr double inverse_root_2 = 0.70710678118654752;
  constexpr double longest = 1.5;  // panel
  // Beyond this, 1 - exp(-v) in the integrand equals its exponent v up to a fraction
  // exp(-2·beyond).
  constexpr double beyond = 4.0;
  const bool upright = sigma_x < sigma_y;
  const double wide = upright ? sigma_y : sigma_x, narrow = upright ? sigma_x : sigma_y;
  const double x2 = upright ? y * y : x * x, y2 = upright ? x * x : y * y;
  const double difference = (wide - narrow) * (wide + narrow);
  const double reach = (x2 + y2 + wide * wide) / (narrow * narrow);
  const double end = 0.5 * numerics::log_positive(reach) + beyond;
  const int panels = static_cast<int>(end / longest) + 1;
  const double panel = end / panels, growth = numerics::exp_real(2.0 * panel);
  double g2[nodes], parts[nodes] = {};  // side by side, for the vector units
  for (int i = 0; i < nodes; ++i)
    g2[i] = narrow * narrow * numerics::exp_real(2.0 * panel * node[i]);
  double last = narrow * narrow;
  for (int k = 0; k < panels; ++k) {
    for (int i = 0; i < nodes; ++i) {
      const double f2 = difference + g2[i];
      const double charge = 1.0 - numerics::exp_real(-0.5 * (x2 / f2 + y2 / g2[i]));
      parts[i] += weight[i] * charge * std::sqrt(g2[i] / f2);
      g2[i] *= growth;
    }
    last *= growth;
  }
  double sum = 0.0;
  for (int i = 0; i < nodes; ++i) sum += parts[i];
  return half_gamma - numerics::log_positive((wide + narrow) * inverse_root_2) - panel * sum -
         0.25 * (x2 + y2) / last;
}

}  // namespace phasewise::field
