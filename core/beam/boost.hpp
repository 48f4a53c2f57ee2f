// The Lorentz boost that makes two beams that cross at an angle collide head-on, and its inverse.
//
// Hirata, Phys. Rev. Lett. 74 (1995) 2228; Leunissen, Schmidt, Ripken, Phys. Rev. ST Accel. Beams 3
// (2000) 124002. The boosted momenta are normalised to P0 cos φ; the determinant is 1/cos³ φ, so it
// is boost⁻¹ ∘ map ∘ boost that is symplectic.
#pragma once

#include <cmath>

#include "beam/coordinates.hpp"
#include "parallel/macros.hpp"

namespace phasewise::beam {

// φ is half the crossing angle, α the azimuth of the crossing plane (0 = horizontal).
struct CrossingAngle {
  double cos_phi = 1.0;
  double sin_phi = 0.0;
  double tan_phi = 0.0;
  double cos_alpha = 1.0;
  double sin_alpha = 0.0;
};

// Takes φ and α in rad.
inline CrossingAngle crossing_angle(double phi, double alpha) {
  return {std::cos(phi), std::sin(phi), std::tan(phi), std::cos(alpha), std::sin(alpha)};
}

// P - Ps = P⊥²/(P + Ps), with P = 1 + delta: in this form nothing cancels.
PHASEWISE_HD double hamiltonian(double px, double py, double delta) {
  const double p = 1.0 + delta;
  const double transverse = px * px + py * py;
  return transverse / (p + std::sqrt(p * p - transverse));
}

// The slopes of the boosted orbit: hx = px/pz, hy = py/pz, hz = 1 - (1 + delta)/pz.
struct BoostedSlopes {
  double hx, hy, hz;
};

PHASEWISE_HD BoostedSlopes boosted_slopes(double px, double py, double delta) {
  const double p = 1.0 + delta;
  const double transverse = px * px + py * py;
  const double pz = std::sqrt(p * p - transverse);
  return {px / pz, py / pz, -transverse / (pz * (pz + p))};
}

PHASEWISE_HD void boost(Coordinates& c, const CrossingAngle& a) {
  const double h = hamiltonian(c.px, c.py, c.delta);
  const double along = c.px * a.cos_alpha + c.py * a.sin_alpha;
  const double shift = h * a.tan_phi;
  c.delta = c.delta - (along - shift) * a.tan_phi;
  c.px = (c.px - shift * a.cos_alpha) / a.cos_phi;
  c.py = (c.py - shift * a.sin_alpha) / a.cos_phi;
  const BoostedSlopes s = boosted_slopes(c.px, c.py, c.delta);
  const double w = (c.x * a.cos_alpha + c.y * a.sin_alpha) * a.sin_phi;
  c.x = c.x + (c.z * a.cos_alpha * a.tan_phi + s.hx * w);
  c.y = c.y + (c.z * a.sin_alpha * a.tan_phi + s.hy * w);
  c.z = c.z / a.cos_phi + s.hz * w;
}

PHASEWISE_HD void inverse_boost(Coordinates& c, const CrossingAngle& a) {
  const BoostedSlopes s = boosted_slopes(c.px, c.py, c.delta);
  const double slope = s.hx * a.cos_alpha + s.hy * a.sin_alpha;
  const double along = c.x * a.cos_alpha + c.y * a.sin_alpha;
  const double w =
      (along - c.z * a.sin_phi) * a.sin_phi / (1.0 + (slope - s.hz * a.sin_phi) * a.sin_phi);
  c.z = (c.z - s.hz * w) * a.cos_phi;
  c.x = c.x - (c.z * a.cos_alpha * a.tan_phi + s.hx * w);
  c.y = c.y - (c.z * a.sin_alpha * a.tan_phi + s.hy * w);
  // h = h* cos² φ, so that h tan φ = h* sin φ cos φ.
  const double h = hamiltonian(c.px, c.py, c.delta);
  c.delta = c.delta + ((c.px * a.cos_alpha + c.py * a.sin_alpha) * a.sin_phi);
  c.px = (c.px + h * a.sin_phi * a.cos_alpha) * a.cos_phi;
  c.py = (c.py + h * a.sin_phi * a.sin_alpha) * a.cos_phi;
}

}  // namespace phasewise::beam
