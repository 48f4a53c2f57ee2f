// A mesh in a box, and how a particle shares its charge among the nodes around it. Hockney,
// Eastwood, "Computer Simulation Using Particles" (1988), chapter 5.
#pragma once

#include <array>
#include <cstdint>

#include "field/weights.hpp"
#include "parallel/macros.hpp"

namespace phasewise::field {

// Node (i, j, k) is at origin + (i hx, j hy, k hz). Grids are [z][x][y], with y contiguous.
struct BoxMesh {
  std::array<double, 3> origin{};    // x, y, z [m]
  std::array<double, 3> h{1, 1, 1};  // m
  std::array<int, 3> n{};            // nodes along x, y, z

  std::int64_t plane() const { return static_cast<std::int64_t>(n[0]) * n[1]; }
  std::int64_t nodes() const { return plane() * n[2]; }
};

// A particle's cell, as the index of its lowest node, and its place in the cell in units of cells.
// `inside` is 1 or 0: a particle is outside if a node that a difference on either side of the cell
// needs is not on the mesh.
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

// Cloud-in-cell weights of the eight nodes of a particle's cell. Each is a multiple of the charge
// quantum, and their sum is exactly `inside`. They are those of the lower plane and of the upper
// one, each in the order (x, y) = 00, 01, 10, 11.
struct BoxCharge {
  struct Plane {
    double w00, w01, w10, w11;
  };
  Plane lower, upper;
};

// The products are written out because GCC does not vectorise a loop over particles that uses an
// array.
PHASEWISE_HD BoxCharge box_charge(const BoxPlace& p, double rounding_offset) {
  BoxCharge::Plane both;
  Cic::charge(p.fx, p.fy, p.inside, rounding_offset, both.w00, both.w01, both.w10, both.w11);
  const double above = numerics::round_to_multiple(p.fz, rounding_offset);
  const BoxCharge::Plane upper = {numerics::round_to_multiple(both.w00 * above, rounding_offset),
                                  numerics::round_to_multiple(both.w01 * above, rounding_offset),
                                  numerics::round_to_multiple(both.w10 * above, rounding_offset),
                                  numerics::round_to_multiple(both.w11 * above, rounding_offset)};
  return {{both.w00 - upper.w00, both.w01 - upper.w01, both.w10 - upper.w10, both.w11 - upper.w11},
          upper};
}

}  // namespace phasewise::field
