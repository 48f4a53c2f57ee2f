// How a particle shares its charge among mesh nodes, and reads a field from them: bilinear (cloud
// in cell, CIC) or quadratic (triangular shaped cloud, TSC). Hockney, Eastwood, "Computer
// Simulation Using Particles" (1988), chapter 5.
#pragma once

#include <cmath>

#include "field/mesh.hpp"
#include "numerics/order_free_sum.hpp"
#include "parallel/macros.hpp"
#include "parallel/quad.hpp"

namespace phasewise::field {

// Interpolates between a (f = 0) and b (f = 1), for doubles and for SIMD vectors.
template <class Value>
PHASEWISE_HD Value between(Value a, Value b, double f) {
  return a + f * (b - a);
}

// The value clamped to the bounds, without branches; a NaN is clamped too.
PHASEWISE_HD double held_between(double value, double low, double high) {
  const double below = value < high ? value : high;
  return below > low ? below : low;
}

// A stencil of `nodes` by `nodes` mesh nodes.
template <int nodes>
struct Stencil {
  static constexpr int width = nodes;
  // a + f b, for doubles and for SIMD vectors.
  template <class Value>
  PHASEWISE_HD static Value plus(Value a, double f, Value b) {
    return a + f * b;
  }
  // Finds the lowest node of a particle's stencil, as an index into the window, and the particle's
  // place fx, fy in units of nodes: relative to the lower node of two, or to the middle node of
  // three, which is the nearest. `inside` is 1 or 0; for a particle outside the mesh, or in its
  // rim, the place is a node of the window's edge.
  PHASEWISE_HD static void place(double x, double y, const WindowFrame& frame, int& node,
                                 double& fx, double& fy, double& inside) {
    static_assert(nodes == 2 || nodes == 3);
    constexpr int below = nodes - 2;  // stencil nodes below the one that fx and fy count from
    // The stencil is on the mesh from the place `first` to the place n - `last`.
    constexpr double first = 0.5 * below, last = 1.001 + 0.5 * below;
    const double gx = (x - frame.x0) * frame.inverse_hx, gy = (y - frame.y0) * frame.inverse_hy;
    const double hx = held_between(gx, first + frame.rim_x, frame.nx - last - frame.rim_x);
    const double hy = held_between(gy, first + frame.rim_y, frame.ny - last - frame.rim_y);
    const double ix = std::trunc(nodes == 2 ? hx : hx + 0.5);
    const double iy = std::trunc(nodes == 2 ? hy : hy + 0.5);
    inside = (hx == gx ? 1.0 : 0.0) * (hy == gy ? 1.0 : 0.0);
    node = static_cast<int>((ix - below) * frame.ny + (iy - below));  // exact, in one conversion
    fx = (hx - ix) * inside;
    fy = (hy - iy) * inside;
  }
};

struct Cic : Stencil<2> {
  template <class Value>
  PHASEWISE_HD static Value between(Value a, Value b, double f) {
    return field::between(a, b, f);
  }
  // Weights of nodes (0,0) (0,1) (1,0) (1,1). Each is a multiple of the charge quantum, and their
  // sum is exactly `inside`.
  PHASEWISE_HD static void charge(double fx, double fy, double inside, double rounding_offset,
                                  double& w00, double& w01, double& w10, double& w11) {
    const double gx = numerics::round_to_multiple(fx, rounding_offset);
    const double gy = numerics::round_to_multiple(fy, rounding_offset);
    w11 = numerics::round_to_multiple(gx * gy, rounding_offset);
    w01 = gy - w11;
    w10 = gx - w11;
    w00 = (inside - gx) - w01;
  }
  // Interpolates node values, in rows of ny, at the place (fx, fy) beyond the lowest node.
  PHASEWISE_HD static double value(const double* u, int ny, double fx, double fy) {
    return between(between(u[0], u[ny], fx), between(u[1], u[ny + 1], fx), fy);
  }
};

// The same, with products and the sums after them rounded once.
struct FusedCic : Cic {
  template <class Value>
  PHASEWISE_HD static Value plus(Value a, double f, Value b) {
    return parallel::fused(f, b, a);
  }
  template <class Value>
  PHASEWISE_HD static Value between(Value a, Value b, double f) {
    return plus(a, f, b - a);
  }
  PHASEWISE_HD static void charge(double fx, double fy, double inside, double rounding_offset,
                                  double& w00, double& w01, double& w10, double& w11) {
    const double gx = numerics::round_to_multiple(fx, rounding_offset);
    const double gy = numerics::round_to_multiple(fy, rounding_offset);
    w11 = parallel::fused(gx, gy, rounding_offset) - rounding_offset;
    w01 = gy - w11;
    w10 = gx - w11;
    w00 = (inside - gx) - w01;
  }
  PHASEWISE_HD static double value(const double* u, int ny, double fx, double fy) {
    return between(between(u[0], u[ny], fx), between(u[1], u[ny + 1], fx), fy);
  }
  // Interpolates how much the node before is above the node after, `stride` values away.
  PHASEWISE_HD static double difference(const double* u, int stride, int ny, double fx, double fy) {
    const auto at = [&](int node) { return u[node - stride] - u[node + stride]; };
    return between(between(at(0), at(ny), fx), between(at(1), at(ny + 1), fx), fy);
  }
};

struct Tsc : Stencil<3> {
  // One-dimensional weights of the nodes before, at and after the nearest one, for f in [-1/2,
  // 1/2].
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
  // Nine weights, row by row (y fastest). They are multiples of the charge quantum, and their sum
  // is exactly `inside`.
  PHASEWISE_HD static void charge(double fx, double fy, double inside, double rounding_offset,
                                  double* w) {
    double wx[3], wy[3];
    weights(fx, wx);
    weights(fy, wy);
    for (int k = 0; k < 3; k += 2) {
      wx[k] = numerics::round_to_multiple(wx[k] * inside, rounding_offset);
      wy[k] = numerics::round_to_multiple(wy[k] * inside, rounding_offset);
    }
    for (int a = 0; a < 3; a += 2)
      for (int b = 0; b < 3; b += 2)
        w[3 * a + b] = numerics::round_to_multiple(wx[a] * wy[b], rounding_offset);
    w[1] = wx[0] - (w[0] + w[2]);
    w[7] = wx[2] - (w[6] + w[8]);
    w[3] = wy[0] - (w[0] + w[6]);
    w[5] = wy[2] - (w[2] + w[8]);
    w[4] = (inside - (wx[0] + wx[2])) - (w[3] + w[5]);
  }
  // Like Cic::value, but with the place counted from the middle node.
  PHASEWISE_HD static double value(const double* u, int ny, double fx, double fy) {
    double wx[3], wy[3], sum = 0.0;
    weights(fx, wx);
    weights(fy, wy);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) sum += wx[a] * wy[b] * u[a * ny + b];
    return sum;
  }
};

// The gradient of the quadratic interpolation of u + fraction·d; with two planes, u and d are side
// by side in `nodes`. `change` is the interpolation of d. ex and ey are in units of 1/node. The
// kick is symplectic, since it derives from one continuously differentiable potential.
template <int planes>
PHASEWISE_HD void read_quadratic(const double* nodes, int ny, double fx, double fy, double fraction,
                                 double& ex, double& ey, double& change) {
  double wx[3], wy[3], sx[3], sy[3];
  Tsc::weights(fx, wx);
  Tsc::weights(fy, wy);
  Tsc::slopes(fx, sx);
  Tsc::slopes(fy, sy);
  ex = ey = change = 0.0;
  for (int a = 0; a < 3; ++a) {
    const double* row = nodes + planes * a * ny;
    double value = 0.0, slope = 0.0, along = 0.0;
    for (int b = 0; b < 3; ++b) {
      double u = row[planes * b];
      if constexpr (planes == 2) {
        along += wy[b] * row[2 * b + 1];
        u += fraction * row[2 * b + 1];
      }
      value += wy[b] * u;
      slope += sy[b] * u;
    }
    ex -= sx[a] * value;
    ey -= wx[a] * slope;
    change += wx[a] * along;
  }
}

}  // namespace phasewise::field
