// How a particle shares its charge among mesh nodes, and reads a field from them: bilinear (cloud in cell, CIC) or quadratic
// (triangular shaped cloud, TSC). Hockney, Eastwood, "Computer Simulation Using Particles" (1988), chapter 5.
#pragma once

#include "field/mesh.hpp"
#include "numerics/order_free_sum.hpp"
#include "parallel/macros.hpp"

namespace phasewise::field {

// The lowest node of a particle's stencil, as an index into the window, and the place within it, in node units.
struct Place {
  int node;
  double fx, fy;
  double inside;  // 1 or 0; outside the mesh the place is that of the window's corner
};

struct Cic {
  static constexpr int width = 2;
  PHASEWISE_HD static Place place(double x, double y, const WindowFrame& frame) {
    const double gx = (x - frame.x0) * frame.inverse_hx, gy = (y - frame.y0) * frame.inverse_hy;
    const bool inside = (gx >= 0.0) & (gx < frame.nx - 1) & (gy >= 0.0) & (gy < frame.ny - 1);
    const double hx = inside ? gx : 0.0, hy = inside ? gy : 0.0;
    const int ix = static_cast<int>(hx), iy = static_cast<int>(hy);
    return {ix * frame.ny + iy, hx - ix, hy - iy, inside ? 1.0 : 0.0};
  }
  // Weights of nodes (0,0) (0,1) (1,0) (1,1), each a multiple of the charge quantum, their sum exactly `inside`.
  PHASEWISE_HD static void charge(const Place& place, double magic, double* w) {
    const double fx = numerics::round_to_multiple(place.fx, magic);
    const double fy = numerics::round_to_multiple(place.fy, magic);
    const double both = numerics::round_to_multiple(fx * fy, magic);
    w[0] = (place.inside - fx) - (fy - both);
    w[1] = fy - both;
    w[2] = fx - both;
    w[3] = both;
  }
};

struct Tsc {
  static constexpr int width = 3;
  PHASEWISE_HD static Place place(double x, double y, const WindowFrame& frame) {
    const double gx = (x - frame.x0) * frame.inverse_hx, gy = (y - frame.y0) * frame.inverse_hy;
    const bool inside = (gx >= 0.5) & (gx < frame.nx - 1.5) & (gy >= 0.5) & (gy < frame.ny - 1.5);
    const double hx = inside ? gx : 1.0, hy = inside ? gy : 1.0;
    const int ix = static_cast<int>(hx + 0.5), iy = static_cast<int>(hy + 0.5);  // nearest node
    return {(ix - 1) * frame.ny + iy - 1, hx - ix, hy - iy, inside ? 1.0 : 0.0};
  }
  // One-dimensional weights of the nodes before, at and after the nearest one, for f in [-1/2, 1/2].
  PHASEWISE_HD static void weights(double f, double* w) {
    w[0] = 0.5 * (0.5 - f) * (0.5 - f);
    w[2] = 0.5 * (0.5 + f) * (0.5 + f);
    w[1] = 1.0 - (w[0] + w[2]);
  }
  // Their derivatives with respect to f.
  PHASEWISE_HD static void slopes(double f, double* w) {
    w[0] = f - 0.5;
    w[1] = -2.0 * f;
    w[2] = f + 0.5;
  }
  // Nine weights, row by row (y fastest), multiples of the charge quantum, their sum exactly `inside`.
  PHASEWISE_HD static void charge(const Place& place, double magic, double* w) {
    double wx[3], wy[3];
    weights(place.fx, wx);
    weights(place.fy, wy);
    for (int k = 0; k < 3; k += 2) {
      wx[k] = numerics::round_to_multiple(wx[k] * place.inside, magic);
      wy[k] = numerics::round_to_multiple(wy[k] * place.inside, magic);
    }
    for (int a = 0; a < 3; a += 2)
      for (int b = 0; b < 3; b += 2)
        w[3 * a + b] = numerics::round_to_multiple(wx[a] * wy[b], magic);
    w[1] = wx[0] - (w[0] + w[2]);
    w[7] = wx[2] - (w[6] + w[8]);
    w[3] = wy[0] - (w[0] + w[6]);
    w[5] = wy[2] - (w[2] + w[8]);
    w[4] = ((place.inside - (wx[0] + wx[2])) - (w[3] + w[5]));
  }
};

}  // namespace phasewise::field
