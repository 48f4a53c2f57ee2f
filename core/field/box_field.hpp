// How a particle reads the field of a potential on a mesh in a box: by central differences at the
// eight nodes of its cell, interpolated with the weights of its charge. With an even Green
// function, no particle then acts on itself, and momentum is conserved. Hockney, Eastwood,
// "Computer Simulation Using Particles" (1988), section 5-3.
//
// The differences are computed either for each particle, or once for all nodes. Both ways give the
// same bits, so that a rank may use whichever is faster for it.
#pragma once

#include <cstdint>

#include "field/box_mesh.hpp"
#include "parallel/simd.hpp"

namespace phasewise::field {

// -∂u/∂x, -∂u/∂y, -∂u/∂z, per cell.
struct BoxField {
  double ex, ey, ez;
};

using FourValues = parallel::Vector<double, 4>;

PHASEWISE_HD FourValues four_values(const double* from) { return parallel::load<4>(from); }

PHASEWISE_HD double sum_of(const FourValues& v) { return (v[0] + v[1]) + (v[2] + v[3]); }

// Computes the differences for each particle, from u[nz][nx][ny], in one pass over the 32 nodes
// that they need: four along y at once.
PHASEWISE_HD BoxField box_field(const double* u, int nx, int ny, const BoxPlace& p) {
  const std::int64_t plane = static_cast<std::int64_t>(nx) * ny;
  const double* corner = u + p.node - plane - ny - 1;
  const auto row = [&](int above, int across) {
    return four_values(corner + above * plane + across * ny);
  };
  // Combines differences at the four rows of a cell, lower plane first.
  const auto along_rows = [&](const FourValues& a, const FourValues& b, const FourValues& c,
                              const FourValues& d) {
    return between(between(a, b, p.fx), between(c, d, p.fx), p.fz);
  };
  const FourValues a = row(1, 1), b = row(1, 2), c = row(2, 1), d = row(2, 2);
  const FourValues x = along_rows(b - row(1, 0), row(1, 3) - a, d - row(2, 0), row(2, 3) - c);
  const FourValues z = along_rows(c - row(0, 1), d - row(0, 2), row(3, 1) - a, row(3, 2) - b);
  // Values 2 and 3 minus values 0 and 1.
  const auto change = [](const FourValues& v) { return FourValues{v[2], v[3], v[2], v[3]} - v; };
  const FourValues y = along_rows(change(a), change(b), change(c), change(d));
  const double half = -0.5 * p.inside;
  return {half * between(x[1], x[2], p.fy), half * between(y[0], y[1], p.fy),
          half * between(z[1], z[2], p.fy)};
}

// The differences at the nodes of plane k, 0 < k < nz - 1: along x, y and z, and a zero, for each
// node between the mesh's edges. `differences` is [nx][ny][4] of that plane.
inline void difference_plane(const double* u, const BoxMesh& mesh, int k, double* differences) {
  const std::int64_t nx = mesh.n[0], ny = mesh.n[1], plane = mesh.plane();
  for (std::int64_t i = 1; i < nx - 1; ++i) {
    const double* v = u + k * plane + i * ny;
    for (std::int64_t j = 1; j < ny - 1; ++j) {
      const FourValues at = {v[j + ny] - v[j - ny], v[j + 1] - v[j - 1],
                             v[j + plane] - v[j - plane], 0.0};
      parallel::store(differences + 4 * (i * ny + j), at);
    }
  }
}

// The field from the differences [nz][nx][ny][4] of all nodes.
PHASEWISE_HD BoxField box_field_of_differences(const double* differences, int nx, int ny,
                                               const BoxPlace& p) {
  const std::int64_t plane = static_cast<std::int64_t>(nx) * ny;
  const double* corner = differences + 4 * p.node;
  // Interpolates along the row at y = 0 or 1.
  const auto along_rows = [&](int y) {
    const auto node = [&](int above, int across) {
      return four_values(corner + 4 * (above * plane + across * ny + y));
    };
    return between(between(node(0, 0), node(0, 1), p.fx), between(node(1, 0), node(1, 1), p.fx),
                   p.fz);
  };
  const FourValues here = (-0.5 * p.inside) * between(along_rows(0), along_rows(1), p.fy);
  return {here[0], here[1], here[2]};
}

}  // namespace phasewise::field
