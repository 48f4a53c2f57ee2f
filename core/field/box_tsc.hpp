// A particle in a box as a triangular shaped cloud (TSC): its charge on the 27 nodes around the
// nearest one, and the field that it reads with the same weights from central differences there.
// Hockney, Eastwood, "Computer Simulation Using Particles" (1988), chapter 5.
#pragma once

#include <cstdint>

#include "field/box_field.hpp"
#include "field/weights.hpp"
#include "parallel/macros.hpp"

namespace phasewise::field {

// The particle's nearest node, and its place relative to that node in cells; `inside` is as in
// BoxPlace.
PHASEWISE_HD BoxPlace nearest_place(const BoxFrame& frame, double x, double y, double z) {
  // A particle is inside if two nodes on either side of the nearest one are on the mesh.
  constexpr double first = 1.5, last = 2.501;
  const double gx = (x - frame.x0) * frame.inverse_hx, gy = (y - frame.y0) * frame.inverse_hy;
  const double gz = (z - frame.z0) * frame.inverse_hz;
  const double hx = held_between(gx, first, frame.nx - last);
  const double hy = held_between(gy, first, frame.ny - last);
  const double hz = held_between(gz, first, frame.nz - last);
  const int ix = static_cast<int>(hx + 0.5), iy = static_cast<int>(hy + 0.5);
  const int iz = static_cast<int>(hz + 0.5);
  const double inside = (hx == gx ? 1.0 : 0.0) * (hy == gy ? 1.0 : 0.0) * (hz == gz ? 1.0 : 0.0);
  return {(static_cast<std::int64_t>(iz) * frame.nx + ix) * frame.ny + iy, (hx - ix) * inside,
          (hy - iy) * inside, (hz - iz) * inside, inside};
}

// Weights of the nodes (z, x, y) from -1 to 1 around the nearest one, y fastest. Each is a multiple
// of the charge quantum, and their sum is exactly `inside`.
PHASEWISE_HD void tsc_charge(const BoxPlace& p, double rounding_offset, double (&w)[27]) {
  double across[9], along[3];
  Tsc::charge(p.fx, p.fy, p.inside, rounding_offset, across);
  Tsc::weights(p.fz, along);
  for (int i = 0; i < 9; ++i) {
    w[i] = numerics::round_to_multiple(across[i] * along[0], rounding_offset);
    w[18 + i] = numerics::round_to_multiple(across[i] * along[2], rounding_offset);
    w[9 + i] = across[i] - (w[i] + w[18 + i]);
  }
}

// Along one axis: the weights of five nodes around the nearest one, for values, and for central
// differences at the three inner nodes.
struct FiveNodes {
  double value[5], slope[5];
};

PHASEWISE_HD FiveNodes five_nodes(double f) {
  double w[3];
  Tsc::weights(f, w);
  return {{0.0, w[0], w[1], w[2], 0.0},
          {-0.5 * w[0], -0.5 * w[1], 0.5 * (w[0] - w[2]), 0.5 * w[1], 0.5 * w[2]}};
}

// Like box_field, but with TSC weights. `u` is [nz][nx][ny].
PHASEWISE_HD BoxField tsc_field(const double* u, int nx, int ny, const BoxPlace& p) {
  const std::int64_t plane = static_cast<std::int64_t>(nx) * ny;
  const FiveNodes x = five_nodes(p.fx), y = five_nodes(p.fy), z = five_nodes(p.fz);
  const FourValues value = four_values(y.value), slope = four_values(y.slope);
  const double* corner = u + p.node - 2 * plane - 2 * ny - 2;
  BoxField e{0.0, 0.0, 0.0};
  for (int k = 0; k < 5; ++k) {
    FourValues along_x = {0.0, 0.0, 0.0, 0.0}, along_y = along_x;
    double last = 0.0;  // the fifth node along y, which has no weight in a value
    for (int i = 0; i < 5; ++i) {
      const double* row = corner + k * plane + i * ny;
      const FourValues four = four_values(row);
      along_x += x.slope[i] * four;
      along_y += x.value[i] * four;
      last += x.value[i] * row[4];
    }
    const double here = sum_of(value * along_y);
    e.ex -= z.value[k] * sum_of(value * along_x);
    e.ey -= z.value[k] * (sum_of(slope * along_y) + y.slope[4] * last);
    e.ez -= z.slope[k] * here;
  }
  return {e.ex * p.inside, e.ey * p.inside, e.ez * p.inside};
}

}  // namespace phasewise::field
