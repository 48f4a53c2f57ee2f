// What the particles read from a field: values on the nodes of the mesh, computed from the
// potential.
#pragma once

#include <cstdint>

#include "collision/mesh/weighting.hpp"
#include "field/mesh.hpp"
#include "parallel/kernel.hpp"
#include "parallel/macros.hpp"

namespace phasewise::collision {

// The number of values per node. CIC: Ex and Ey, or with two planes Ex and Ey of the tail and their
// differences head - tail. TSC: u, or u of the tail and its difference.
PHASEWISE_HD int values_per_node(Weighting weighting, int planes) {
  return weighting == Weighting::cic ? 2 * planes : planes;
}

// Where the nodes of a mesh come from and go to. The potential planes are those of head and tail,
// the same plane twice if there is one; `scale` is the factor from u to the kick's potential;
// `difference` is, for CIC with two planes, u of the head minus u of the tail.
struct NodesTask {
  Weighting weighting;
  int planes;
  const double* head;
  const double* tail;
  field::Mesh mesh;
  double scale;
  double* nodes;
  double* difference;
};

// E = -grad u, by central differences inside the window and one-sided ones at its edges.
PHASEWISE_HD double field_at(const double* u, std::int64_t stride, int i, int n, double inverse_h) {
  if (i == 0) return (u[0] - u[stride]) * inverse_h;
  if (i == n - 1) return (u[-stride] - u[0]) * inverse_h;
  return 0.5 * (u[-stride] - u[stride]) * inverse_h;
}

// Computes what `encounter` reads at a node with quadratic weights.
PHASEWISE_HD void prepare_tsc(const NodesTask& t, std::int64_t at) {
  t.nodes[t.planes * at] = t.scale * t.tail[at];
  if (t.planes == 2) t.nodes[2 * at + 1] = t.scale * (t.head[at] - t.tail[at]);
}

// Computes the same at node (i, j) with linear weights.
PHASEWISE_HD void prepare_cic(const NodesTask& t, int i, int j) {
  const int nx = t.mesh.nx, ny = t.mesh.ny;
  const std::int64_t at = static_cast<std::int64_t>(i) * ny + j;
  const double sx = t.scale / t.mesh.hx, sy = t.scale / t.mesh.hy;
  double* node = t.nodes + 2 * t.planes * at;
  node[0] = field_at(t.tail + at, ny, i, nx, sx);
  node[1] = field_at(t.tail + at, 1, j, ny, sy);
  if (t.planes == 1) return;
  node[2] = field_at(t.head + at, ny, i, nx, sx) - node[0];
  node[3] = field_at(t.head + at, 1, j, ny, sy) - node[1];
  t.difference[at] = t.scale * (t.head[at] - t.tail[at]);
}

// Prepares rows [begin, end) of the nodes.
void prepare_rows(const NodesTask& task, int begin, int end);
// One item is a node.
parallel::KernelCard nodes_card(Weighting weighting, int planes);

}  // namespace phasewise::collision
