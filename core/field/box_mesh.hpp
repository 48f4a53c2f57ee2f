// A mesh in a box, how a particle shares its charge among the nodes around it, and how it reads the
// field there. Hockney, Eastwood, "Computer Simulation Using Particles" (1988), chapter 5.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "field/weights.hpp"
#include "parallel/macros.hpp"

namespace phasewise::field {

// Node (i, j, k) stands at origin + (i hx, j hy, k hz). Grids are [z][x][y], y contiguous.
struct BoxMesh {
  std::array<double, 3> origin{};    // x, y, z [m]
  std::array<double, 3> h{1, 1, 1};  // m
  std::array<int, 3> n{};            // nodes along x, y, z

  std::int64_t plane() const { return static_cast<std::int64_t>(n[0]) * n[1]; }
  std::int64_t nodes() const { return plane() * n[2]; }
};

// A particle's cell, as the index of its lowest node, and its place in it in cells. inside is 1 or
// 0: where the nodes of a difference on either side of the cell are not on the mesh, the particle
// is outside.
struct BoxPlace {
  std::int64_t node;
  double fx, fy, fz, inside;
};

struct BoxFrame {
  double x0, y0, z0;
  double inverse_hx, inverse_hy, inverse_hz;
  int nx, ny, nz;

  explicit BoxFrame(const BoxMesh& mesh)
      : x0(mesh.origin[0]),
        y0(mesh.origin[1]),
        z0(mesh.origin[2]),
        inverse_hx(1.0 / mesh.h[0]),
        inverse_hy(1.0 / mesh.h[1]),
        inverse_hz(1.0 / mesh.h[2]),
        nx(mesh.n[0]),
        ny(mesh.n[1]),
        nz(mesh.n[2]) {}

  PHASEWISE_HD BoxPlace place(double x, double y, double z) const {
    constexpr double first = 1.0, last = 2.001;
    const double gx = (x - x0) * inverse_hx, gy = (y - y0) * inverse_hy;
    const double gz = (z - z0) * inverse_hz;
    const double hx = held_between(gx, first, nx - last), hy = held_between(gy, first, ny - last);
    const double hz = held_between(gz, first, nz - last);
    const int ix = static_cast<int>(hx), iy = static_cast<int>(hy), iz = static_cast<int>(hz);
    const double inside = (hx == gx ? 1.0 : 0.0) * (hy == gy ? 1.0 : 0.0) * (hz == gz ? 1.0 : 0.0);
    return {(static_cast<std::int64_t>(iz) * nx + ix) * ny + iy, (hx - ix) * inside,
            (hy - iy) * inside, (hz - iz) * inside, inside};
  }
};

// Cloud-in-cell weights of the nodes (z, x, y) = 000, 001, …, 111 above the lowest one, each a
// multiple of the charge quantum, their sum exactly `inside`.
PHASEWISE_HD void box_charge(const BoxPlace& p, double rounding_offset, double (&w)[8]) {
  Cic::charge(p.fx, p.fy, p.inside, rounding_offset, w[0], w[1], w[2], w[3]);
  const double above = numerics::round_to_multiple(p.fz, rounding_offset);
  for (int i = 0; i < 4; ++i) {
    w[4 + i] = numerics::round_to_multiple(w[i] * above, rounding_offset);
    w[i] = w[i] - w[4 + i];
  }
}

// -∂u/∂x, -∂u/∂y, -∂u/∂z at a place, per cell: central differences of u at the eight nodes of the
// cell, interpolated with the weights of its charge, in one pass over the 32 nodes that they need.
// With a Green function that is even, no particle then acts on itself, and momentum is conserved.
struct BoxField {
  double ex, ey, ez;
};

// Four nodes along y at once.
using FourNodes = double __attribute__((vector_size(32)));

PHASEWISE_HD FourNodes four_nodes(const double* u) {
  FourNodes result;
  std::memcpy(&result, u, sizeof(result));
  return result;
}

PHASEWISE_HD double sum_of(const FourNodes& v) { return (v[0] + v[1]) + (v[2] + v[3]); }

// u: [nz][nx][ny].
PHASEWISE_HD BoxField box_field(const double* u, int nx, int ny, const BoxPlace& p) {
  const std::int64_t plane = static_cast<std::int64_t>(nx) * ny;
  const double gx = 1.0 - p.fx, gy = 1.0 - p.fy, gz = 1.0 - p.fz;
  const double* corner = u + p.node - plane - ny - 1;
  const auto row = [&](int above, int across) {
    return four_nodes(corner + above * plane + across * ny);
  };
  // Along x: values, in all four planes, and differences, in the two of the cell.
  const auto value = [&](int above) { return gx * row(above, 1) + p.fx * row(above, 2); };
  const auto change = [&](int above) {
    return gx * (row(above, 2) - row(above, 0)) + p.fx * (row(above, 3) - row(above, 1));
  };
  const FourNodes below = value(1), higher = value(2);
  const FourNodes along_z = gz * (higher - value(0)) + p.fz * (value(3) - below);
  const FourNodes along_x = gz * change(1) + p.fz * change(2);
  const FourNodes here = gz * below + p.fz * higher;
  const FourNodes weight = {0.0, gy, p.fy, 0.0}, slope = {-gy, -p.fy, gy, p.fy};
  const double half = -0.5 * p.inside;
  return {half * sum_of(weight * along_x), half * sum_of(slope * here),
          half * sum_of(weight * along_z)};
}

}  // namespace phasewise::field
