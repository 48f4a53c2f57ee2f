// The lattice that all slices of a collision share, and the windows of it that each slice uses.
#pragma once

#include <cstdint>

namespace phasewise::field {

// Node (i, j) of the window at `offset` stands at origin + (offset + i, offset + j)·h. All windows
// are nodes of one lattice, so that neighbouring slices, and both beams, see the same mesh.
struct Lattice {
  double origin_x = 0.0, origin_y = 0.0;  // m
  double hx = 1.0, hy = 1.0;              // m
  int nx = 0, ny = 0;                     // nodes of a window; y is contiguous

  std::int64_t nodes() const { return static_cast<std::int64_t>(nx) * ny; }
};

struct Window {
  int offset_x = 0, offset_y = 0;  // lattice nodes
  bool operator==(const Window&) const = default;
};

// What a particle needs to find its cell: (x - x0)·inverse_hx is its place in node units.
struct WindowFrame {
  double x0, y0;
  double inverse_hx, inverse_hy;
  int nx, ny;

  WindowFrame(const Lattice& lattice, const Window& window)
      : x0(lattice.origin_x + window.offset_x * lattice.hx),
        y0(lattice.origin_y + window.offset_y * lattice.hy),
        inverse_hx(1.0 / lattice.hx),
        inverse_hy(1.0 / lattice.hy),
        nx(lattice.nx),
        ny(lattice.ny) {}
};

}  // namespace phasewise::field
