// The transverse field of a two-dimensional Gaussian charge: E = -grad u with u = -ln r far away.
//
// Bassetti, Erskine, CERN-ISR-TH/80-06 (1980), with Δ = σx² - σy², σx > σy:
//   Ey + i Ex = sqrt(π/(2Δ)) [w(z1) - exp(-x²/2σx² - y²/2σy²) w(z2)],
//   z1 = (x + iy)/sqrt(2Δ), z2 = (x σy/σx + i y σx/σy)/sqrt(2Δ).
// For nearly round beams, where Δ → 0, the same field is an integral over v = 1 - (1 - σy/σx) τ,
//   Ex = x/(σx(σx + σy)) ∫₀¹ exp(-κ) dτ,   Ey = y/(σx(σx + σy)) ∫₀¹ exp(-κ)/v² dτ,
//   κ = τ (1 + v) (x² + y²/v²)/(2 σx(σx + σy)),
// which is regular at σx = σy (Chao, Lect. Notes Phys. 247 (1986) 288, in other variables).
// The derivatives of u by the squared sizes follow from the heat equation, ∂u/∂(σx²) = ½ ∂²u/∂x²;
// Leunissen, Schmidt, Ripken, PRSTAB 3 (2000) 124002. The derivative by σxy is ∂²u/∂x∂y = (x Ey - y
// Ex)/Δ, because rolling the charge changes u as rolling the place the other way does.
#pragma once

#include <cmath>

#include "numerics/elementary.hpp"
#include "numerics/faddeeva.hpp"
#include "parallel/macros.hpp"

namespace phasewise::field {

// The field of a unit charge; near the centre Ex = x/(σx(σx + σy)).
struct GaussianField {
  double ex, ey;         // 1/m
  double potential_sxx;  // ∂u/∂(σx²), 1/m²
  double potential_syy;  // ∂u/∂(σy²), 1/m²
  double potential_sxy;  // ∂u/∂σxy = ∂²u/∂x∂y, 1/m²: a roll of the charge
};

// Valid for σx > σy, unless the charge is nearly round.
PHASEWISE_HD GaussianField gaussian_field_flat(double x, double y, double sigma_x, double sigma_y) {
  constexpr double half_pi = 1.57079632679489662;
  const double difference = (sigma_x - sigma_y) * (sigma_x + sigma_y);
  const double ratio = sigma_y / sigma_x;
  const double scale = 1.0 / std::sqrt(2.0 * difference);
  const double ax = std::fabs(x) * scale;
  const double ay = std::fabs(y) * scale;
  const double u = x / sigma_x;
  const double v = y / sigma_y;
  const double density = numerics::exp_real(-0.5 * (u * u + v * v));
  const numerics::ComplexValue w1 = numerics::faddeeva_quadrant(ax, ay);
  const numerics::ComplexValue w2 = numerics::faddeeva_quadrant(ax * ratio, ay / ratio);
  const double strength = std::sqrt(half_pi / difference);
  const double ex = std::copysign(strength * (w1.im - density * w2.im), x);
  const double ey = std::copysign(strength * (w1.re - density * w2.re), y);
  const double moment = x * ex + y * ey - 1.0;
  return {ex, ey, 0.5 * (moment + density * ratio) / difference,
          -0.5 * (moment + density / ratio) / difference, (x * ey - y * ex) / difference};
}

// Valid for σx >= σy of a nearly round charge.
PHASEWISE_HD GaussianField gaussian_field_round(double x, double y, double sigma_x,
                                                double sigma_y) {
  // Gauss-Legendre rule on (0, 1).
  constexpr int nodes = 24;
  const double node[nodes] = {
      0.0024063900014893199, 0.012635722014345251, 0.030862723998633621, 0.056792236497799483,
      0.089999007013048539,  0.12993790421072282,  0.17595317403151222,  0.22728926430558023,
      0.28310324618697743,   0.34247866015191831,  0.40444056626319185,  0.46797155356869719,
      0.53202844643130281,   0.59555943373680815,  0.65752133984808169,  0.71689675381302257,
      0.77271073569441977,   0.82404682596848778,  0.87006209578927718,  0.91000099298695146,
      0.94320776350220052,   0.96913727600136638,  0.98736427798565475,  0.99759360999851068};
  const double weight[nodes] = {
      0.0061706148999935998, 0.014265694314466832, 0.022138719408709903, 0.02964929245771839,
      0.036673240705540153,  0.043095080765976638, 0.048809326052056944, 0.053722135057982817,
      0.057752834026862801,  0.060835236463901696, 0.062918728173414148, 0.063969097673376078,
      0.063969097673376078,  0.062918728173414148, 0.060835236463901696, 0.057752834026862801,
      0.053722135057982817,  0.048809326052056944, 0.043095080765976638, 0.036673240705540153,
      0.02964929245771839,   0.022138719408709903, 0.014265694314466832, 0.0061706148999935998};
  const double slope = 1.0 / (sigma_x * (sigma_x + sigma_y));
  const double flatness = 1.0 - sigma_y / sigma_x;
  const double x2 = x * x;
  const double y2 = y * y;
  // Beyond τ = end the integrand is below exp(-38) of its value at 0.
  const double far_end = 76.0 * sigma_x * sigma_x / (x2 + y2);
  const double end = far_end < 1.0 ? far_end : 1.0;
  double sum_x[nodes], sum_y[nodes], sum_xx[nodes], sum_yy[nodes], sum_xy[nodes];
  for (int k = 0; k < nodes; ++k) {
    const double tau = end * node[k];
    const double v = 1.0 - flatness * tau;
    const double inverse_v2 = 1.0 / (v * v);
    const double rate = 0.5 * slope * tau * (1.0 + v);
    const double ex = weight[k] * numerics::exp_real(-rate * (x2 + y2 * inverse_v2));
    const double ey = ex * inverse_v2;
    sum_x[k] = ex;
    sum_y[k] = ey;
    sum_xx[k] = ex * (1.0 - 2.0 * rate * x2);
    sum_yy[k] = ey * (1.0 - 2.0 * rate * y2 * inverse_v2);
    sum_xy[k] = ey * rate;
  }
  for (int k = 1; k < nodes; ++k) {
    sum_x[0] += sum_x[k];
    sum_y[0] += sum_y[k];
    sum_xx[0] += sum_xx[k];
    sum_yy[0] += sum_yy[k];
    sum_xy[0] += sum_xy[k];
  }
  const double strength = slope * end;
  return {strength * x * sum_x[0], strength * y * sum_y[0], -0.5 * strength * sum_xx[0],
          -0.5 * strength * sum_yy[0], 2.0 * strength * x * y * sum_xy[0]};
}

// The field at (x, y) from the centre; all lengths are in m, and both sizes above 0.
PHASEWISE_HD GaussianField gaussian_field(double x, double y, double sigma_x, double sigma_y) {
  // At this ratio of the sizes, where one form takes over from the other, both have 12 digits.
  constexpr double nearly_round = 0.9;
  const bool upright = sigma_x < sigma_y;
  const double wide = upright ? sigma_y : sigma_x;
  const double narrow = upright ? sigma_x : sigma_y;
  const double u = upright ? y : x;
  const double v = upright ? x : y;
  const GaussianField f = narrow > nearly_round * wide ? gaussian_field_round(u, v, wide, narrow)
                                                       : gaussian_field_flat(u, v, wide, narrow);
  if (!upright) return f;
  return {f.ey, f.ex, f.potential_syy, f.potential_sxx, f.potential_sxy};
}

}  // namespace phasewise::field
