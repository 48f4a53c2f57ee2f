#include "collision/mesh/kick_nodes.hpp"

namespace phasewise::collision {
namespace {

// Nodes (i, begin) to (i, end) inside the window: what prepare_field computes, without its
// branches.
template <int planes>
void prepare_inner(const NodesTask& task, int i, int begin, int end) {
  const NodesTask t = task;  // a copy, so that the compiler knows that no store changes it
  const std::int64_t ny = t.mesh.ny, row = i * ny;
  const double sx = t.scale / t.mesh.hx, sy = t.scale / t.mesh.hy;
  const double *head = t.head + row, *tail = t.tail + row;
  double *nodes = t.nodes + 2 * planes * row, *difference = t.difference + (planes == 2 ? row : 0);
#pragma omp simd
  for (int j = begin; j < end; ++j) {
    const double ex = 0.5 * (tail[j - ny] - tail[j + ny]) * sx;
    const double ey = 0.5 * (tail[j - 1] - tail[j + 1]) * sy;
    double* node = nodes + 2 * planes * j;
    node[0] = ex;
    node[1] = ey;
    if (planes == 1) continue;
    node[2] = 0.5 * (head[j - ny] - head[j + ny]) * sx - ex;
    node[3] = 0.5 * (head[j - 1] - head[j + 1]) * sy - ey;
    difference[j] = t.scale * (head[j] - tail[j]);
  }
}

void prepare_row(const NodesTask& t, int i) {
  const bool at_edge = i == 0 || i == t.mesh.nx - 1;
  const int inner = at_edge ? t.mesh.ny : 1, end = at_edge ? t.mesh.ny : t.mesh.ny - 1;
  for (int j = 0; j < inner; ++j) prepare_field(t, i, j);
  for (int j = end; j < t.mesh.ny; ++j) prepare_field(t, i, j);
  if (t.planes == 1)
    prepare_inner<1>(t, i, inner, end);
  else
    prepare_inner<2>(t, i, inner, end);
}

}  // namespace

void prepare_rows(const NodesTask& task, int begin, int end) {
  const NodesTask t = task;  // a copy, so that the compiler knows that no store changes it
  if (t.values == NodeValues::potential) {
    const std::int64_t first = static_cast<std::int64_t>(begin) * t.mesh.ny;
    const std::int64_t last = static_cast<std::int64_t>(end) * t.mesh.ny;
#pragma omp simd
    for (std::int64_t at = first; at < last; ++at) prepare_potential(t, at);
    return;
  }
  for (int i = begin; i < end; ++i) prepare_row(t, i);
}

parallel::KernelCard nodes_card(NodeValues values, int planes) {
  return {.name = "field",
          .flops = values == NodeValues::field ? 6.0 * planes : 2.0 * planes - 1.0,
          .bytes = 8.0 * (planes + values_per_node(values, planes)),
          .vectorised = true};
}

}  // namespace phasewise::collision
