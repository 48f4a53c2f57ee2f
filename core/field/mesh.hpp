// A mesh in the transverse plane, and windows of it.
#pragma once

#include <cstdint>

#include "parallel/macros.hpp"

namespace phasewise::field {

// Node (i, j) of the window at `offset` is at origin + (offset + i, offset + j)·h. Two windows are
// a whole number of cells apart, so that their nodes coincide where they overlap.
struct Mesh {
  double origin_x = 0.0, origin_y = 0.0;  // m
  double hx = 1.0, hy = 1.0;              // m
  int nx = 0, ny = 0;                     // nodes of a window; y is contiguous

  std::int64_t nodes() const { return static_cast<std::int64_t>(nx) * ny; }
};

struct Window {
  int offset_x = 0, offset_y = 0;  // mesh nodes
  bool operator==(const Window&) const = default;
};

// How a particle finds its cell: (x - x0)·inverse_hx is its place in units of nodes.
struct WindowFrame {
  double x0 = 0.0, y0 = 0.0;
  double inverse_hx = 1.0, inverse_hy = 1.0;
  int nx = 0, ny = 0;
  double rim_x = 0.0, rim_y = 0.0;  // cells along the edges that count as outside

  WindowFrame() = default;
  WindowFrame(const Mesh& mesh, const Window& window)
      : x0(mesh.origin_x + window.offset_x * mesh.hx),
        y0(mesh.origin_y + window.offset_y * mesh.hy),
        inverse_hx(1.0 / mesh.hx),
        inverse_hy(1.0 / mesh.hy),
        nx(mesh.nx),
        ny(mesh.ny) {}

  // The same frame with another rim.
  PHASEWISE_HD WindowFrame with_rim(double cells) const {
    WindowFrame frame = *this;
    frame.rim_x = frame.rim_y = cells;
    return frame;
  }
};

}  // namespace phasewise::field
