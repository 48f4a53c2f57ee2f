// How a particle shares its charge among mesh nodes, and reads a field from them: bilinear (cloud in cell, CIC) or quadratic
// (triangular shaped cloud, TSC). Hockney, Eastwood, "Computer Simulation Using Particles" (1988), chapter 5.
#pragma once

#include "field/mesh.hpp"
#include "numerics/order_free_sum.hpp"
#include "parallel/macros.hpp"

namespace phasewise::field {

struct Cic {
  static constexpr int width = 2;
  // The lowest node of a particle's stencil, as an index into the window, and the place within it, in node units; inside is
  // 1 or 0, and outside the mesh the place is that of the window's corner.
  PHASEWISE_HD static void place(double x, double y, const WindowFrame& frame, int& node,
                                 double& fx, double& fy, double& inside) {
    const double gx = (x - frame.x0) * frame.inverse_hx, gy = (y - frame.y0) * frame.inverse_hy;
    const bool in = (gx >= 0.0) & (gx < frame.nx - 1) & (gy >= 0.0) & (gy < frame.ny - 1);
    const double hx = in ? gx : 0.0, hy = in ? gy : 0.0;
    const int ix = static_cast<int>(hx), iy = static_cast<int>(hy);
    node = ix * frame.ny + iy;
    fx = hx - ix;
    fy = hy - iy;
    inside = in ? 1.0 : 0.0;
  }
  // Weights of nodes (0,0) (0,1) (1,0) (1,1), each a multiple of the charge quantum, their sum exactly `inside`.
  PHASEWISE_HD static void charge(double fx, double fy, double inside, double magic, double& w00,
                                  double& w01, double& w10, double& w11) {
    const double gx = numerics::round_to_multiple(fx, magic);
    const double gy = numerics::round_to_multiple(fy, magic);
    w11 = numerics::round_to_multiple(gx * gy, magic);
    w01 = gy - w11;
    w10 = gx - w11;
    w00 = (inside - gx) - w01;
  }
};

struct Tsc {
  static constexpr int width = 3;
  // As for Cic; fx and fy count from the nearest node, the stencil's middle.
  PHASEWISE_HD static void place(double x, double y, const WindowFrame& frame, int& node,
                                 double& fx, double& fy, double& inside) {
    const double gx = (x - frame.x0) * frame.inverse_hx, gy = (y - frame.y0) * frame.inverse_hy;
    const bool in = (gx >= 0.5) & (gx < frame.nx - 1.5) & (gy >= 0.5) & (gy < frame.ny - 1.5);
    const double hx = in ? gx : 1.0, hy = in ? gy : 1.0;
    const int ix = static_cast<int>(hx + 0.5), iy = static_cast<int>(hy + 0.5);
    node = (ix - 1) * frame.ny + iy - 1;
    fx = hx - ix;
    fy = hy - iy;
    inside = in ? 1.0 : 0.0;
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
  PHASEWISE_HD static void charge(double fx, double fy, double inside, double magic, double* w) {
    double wx[3], wy[3];
    weights(fx, wx);
    weights(fy, wy);
    for (int k = 0; k < 3; k += 2) {
      wx[k] = numerics::round_to_multiple(wx[k] * inside, magic);
      wy[k] = numerics::round_to_multiple(wy[k] * inside, magic);
    }
    for (int a = 0; a < 3; a += 2)
      for (int b = 0; b < 3; b += 2)
        w[3 * a + b] = numerics::round_to_multiple(wx[a] * wy[b], magic);
    w[1] = wx[0] - (w[0] + w[2]);
    w[7] = wx[2] - (w[6] + w[8]);
    w[3] = wy[0] - (w[0] + w[6]);
    w[5] = wy[2] - (w[2] + w[8]);
    w[4] = (inside - (wx[0] + wx[2])) - (w[3] + w[5]);
  }
};

}  // namespace phasewise::field
