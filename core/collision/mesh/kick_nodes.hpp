// What the particles read from a field: values on the nodes of the mesh, computed from the
// potential.
#pragma once

#include <cstdint>

#include "collision/mesh/weighting.hpp"
#include "field/mesh.hpp"
#include "parallel/kernel.hpp"
#include "parallel/macros.hpp"

namespace phasewise::collision {

// What a node holds. `field`: Ex and Ey, or with two planes Ex and Ey of the tail and their
// differences head - tail. `potential`: u, or u of the tail and its difference; less memory, of
// which particles read more nodes.
enum class NodeValues : std::uint8_t { field, potential };

// Quadratic weights need the potential. Linear ones read it where products are fused, else the
// field.
constexpr NodeValues node_values(Weighting weighting, Arithmetic arithmetic) {
  return weighting == Weighting::cic && arithmetic == Arithmetic::separate ? NodeValues::field
                                                                           : NodeValues::potential;
}

PHASEWISE_HD int values_per_node(NodeValues values, int planes) {
  return values == NodeValues::field ? 2 * planes : planes;
}

// Where the nodes of a mesh come from and go to. The potential planes are those of head and tail,
// the same plane twice if there is one; `scale` is the factor from u to the kick's potential;
// `difference` is, for fields of two planes, u of the head minus u of the tail.
struct NodesTask {
  NodeValues values;
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

// Computes the potential that `encounter` reads at a node.
PHASEWISE_HD void prepare_potential(const NodesTask& t, std::int64_t at) {
  t.nodes[t.planes * at] = t.scale * t.tail[at];
  if (t.planes == 2) t.nodes[2 * at + 1] = t.scale * (t.head[at] - t.tail[at]);
}

// Computes the field that it reads at node (i, j).
PHASEWISE_HD void prepare_field(const NodesTask& t, int i, int j) {
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
parallel::KernelCard nodes_card(NodeValues values, int planes);

}  // namespace phasewise::collision
