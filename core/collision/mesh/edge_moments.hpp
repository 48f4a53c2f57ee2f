// Charge, centroid and covariance of what is on a mesh, from the potential along its edge. By
// Green's identity, for p with ∇²p = 0,
//   -2π ∫ p ρ dx dy = ∮ (p ∂u/∂n - u ∂p/∂n) dl,   p = 1, x, y, x² - y², xy,
// here in its discrete form over the links between the outermost nodes and their neighbours, where
// the five-point Laplacian, exact for these p, stands for ∇². The identity does not give <x²> +
// <y²>, but the field outside of the charge does not depend on it. All ranks have the same
// potential, and therefore find the same numbers to the last bit, without a message.
#pragma once

#include <cmath>

#include "field/mesh.hpp"
#include "field/rolled_gaussian.hpp"
#include "parallel/macros.hpp"

namespace phasewise::collision {

// A Gaussian charge.
struct GaussianCharge {
  double charge = 0.0;      // macroparticles
  double x = 0.0, y = 0.0;  // m
  field::Covariance covariance{};
};

// ∫ p ρ for the five p, with x and y counted from the middle of the window.
struct EdgeMoments {
  double one = 0.0, x = 0.0, y = 0.0, difference = 0.0, xy = 0.0;

  // Adds a link from a node at (x0, y0) outwards to its neighbour at (x1, y1). `factor` is the
  // spacing along the edge over that of the link.
  PHASEWISE_HD void add(double factor, double x0, double y0, double u0, double x1, double y1,
                        double u1) {
    constexpr double inverse_two_pi = 0.15915494309189534;
    const double out = -inverse_two_pi * factor * u1, in = -inverse_two_pi * factor * u0;
    one += out - in;
    x += x0 * out - x1 * in;
    y += y0 * out - y1 * in;
    difference += (x0 * x0 - y0 * y0) * out - (x1 * x1 - y1 * y1) * in;
    xy += x0 * y0 * out - x1 * y1 * in;
  }
  PHASEWISE_HD void add(const EdgeMoments& other) {
    one += other.one;
    x += other.x;
    y += other.y;
    difference += other.difference;
    xy += other.xy;
  }
};

inline constexpr int window_edges = 4;

// The share of one of a window's edges: the low and the high end in y, then those in x.
PHASEWISE_HD EdgeMoments edge_moments(const field::WindowFrame& frame, const double* u, int edge) {
  const int nx = frame.nx, ny = frame.ny;
  const bool low = edge % 2 == 0;
  const double hx = 1.0 / frame.inverse_hx, hy = 1.0 / frame.inverse_hy;
  const auto at_x = [&](int i) { return (i - 0.5 * (nx - 1)) * hx; };
  const auto at_y = [&](int j) { return (j - 0.5 * (ny - 1)) * hy; };
  const auto value = [&](int i, int j) { return u[static_cast<std::int64_t>(i) * ny + j]; };
  EdgeMoments m;
  if (edge < 2) {
    const int j0 = low ? 1 : ny - 2, j1 = low ? 0 : ny - 1;
    for (int i = 1; i < nx - 1; ++i)
      m.add(hx / hy, at_x(i), at_y(j0), value(i, j0), at_x(i), at_y(j1), value(i, j1));
  } else {
    const int i0 = low ? 1 : nx - 2, i1 = low ? 0 : nx - 1;
    for (int j = 1; j < ny - 1; ++j)
      m.add(hy / hx, at_x(i0), at_y(j), value(i0, j), at_x(i1), at_y(j), value(i1, j));
  }
  return m;
}

// The moments of the whole window, from the shares of its four edges.
PHASEWISE_HD EdgeMoments sum_of_edges(const EdgeMoments* edges) {
  EdgeMoments sum = edges[0];
  for (int edge = 1; edge < window_edges; ++edge) sum.add(edges[edge]);
  return sum;
}
PHASEWISE_HD EdgeMoments edge_moments(const field::WindowFrame& frame, const double* u) {
  EdgeMoments edges[window_edges];
  for (int edge = 0; edge < window_edges; ++edge) edges[edge] = edge_moments(frame, u, edge);
  return sum_of_edges(edges);
}

// The Gaussian charge that makes the potential with these moments on a window that encloses it.
// `expected` is the charge by its beam's moments, of which only the smaller variance is used.
// `smearing` is what the mesh adds to the variances, in hx² and hy².
PHASEWISE_HD GaussianCharge enclosed_charge(const field::WindowFrame& frame, const EdgeMoments& m,
                                            const GaussianCharge& expected, double smearing) {
  // Less than half a macroparticle counts as no charge.
  if (!(m.one > 0.5)) return {0.0, expected.x, expected.y, expected.covariance};
  const double x = m.x / m.one, y = m.y / m.one;
  const double hx = 1.0 / frame.inverse_hx, hy = 1.0 / frame.inverse_hy;
  const double half =
      0.5 * (m.difference / m.one - (x * x - y * y) - smearing * (hx * hx - hy * hy));
  const double xy = m.xy / m.one - x * y;
  const double radius = std::sqrt(half * half + xy * xy);
  const field::Covariance& e = expected.covariance;
  const double e_half = 0.5 * (e.xx - e.yy);
  const double smaller = 0.5 * (e.xx + e.yy) - std::sqrt(e_half * e_half + e.xy * e.xy);
  const double mean = std::fmax(smaller, 0.0) + radius;
  return {m.one,
          frame.x0 + 0.5 * (frame.nx - 1) * hx + x,
          frame.y0 + 0.5 * (frame.ny - 1) * hy + y,
          {mean + half, xy, mean - half}};
}

}  // namespace phasewise::collision
