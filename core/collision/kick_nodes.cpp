#include "collision/kick_nodes.hpp"

namespace phasewise::collision {
namespace {

// Central differences inside the window, one-sided ones at its edges; E = -grad u.
double slope(const double* u, std::int64_t stride, int i, int n, double inverse_h) {
  if (i == 0) return (u[0] - u[stride]) * inverse_h;
  if (i == n - 1) return (u[-stride] - u[0]) * inverse_h;
  return 0.5 * (u[-stride] - u[stride]) * inverse_h;
}

void prepare_cic(int planes, const double* head, const double* tail, const field::Mesh& mesh,
                 double scale, double* nodes, double* difference, int begin, int end) {
  const int nx = mesh.nx, ny = mesh.ny;
  const double sx = scale / mesh.hx, sy = scale / mesh.hy;
  for (int i = begin; i < end; ++i) {
    const std::int64_t row = static_cast<std::int64_t>(i) * ny;
    const auto put = [&](int j) {
      const std::int64_t at = row + j;
      double* node = nodes + 2 * planes * at;
      node[0] = slope(tail + at, ny, i, nx, sx);
      node[1] = slope(tail + at, 1, j, ny, sy);
      if (planes == 1) return;
      node[2] = slope(head + at, ny, i, nx, sx) - node[0];
      node[3] = slope(head + at, 1, j, ny, sy) - node[1];
      difference[at] = scale * (head[at] - tail[at]);
    };
    for (int j = 0; j < ny; ++j) put(j);
  }
}

void prepare_tsc(int planes, const double* head, const double* tail, const field::Mesh& mesh,
                 double scale, double* nodes, int begin, int end) {
  const std::int64_t first = static_cast<std::int64_t>(begin) * mesh.ny;
  const std::int64_t last = static_cast<std::int64_t>(end) * mesh.ny;
  for (std::int64_t at = first; at < last; ++at) {
    nodes[planes * at] = scale * tail[at];
    if (planes == 2) nodes[2 * at + 1] = scale * (head[at] - tail[at]);
  }
}

}  // namespace

int values_per_node(Weighting weighting, int planes) {
  return weighting == Weighting::cic ? 2 * planes : planes;
}

void prepare_nodes(Weighting weighting, int planes, const double* head, const double* tail,
                   const field::Mesh& mesh, double scale, double* nodes, double* difference,
                   int begin, int end) {
  if (weighting == Weighting::cic)
    prepare_cic(planes, head, tail, mesh, scale, nodes, difference, begin, end);
  else
    prepare_tsc(planes, head, tail, mesh, scale, nodes, begin, end);
}

parallel::KernelCard nodes_card(Weighting weighting, int planes) {
  return {.name = "field",
          .flops = 6.0 * planes,
          .bytes = 8.0 * (planes + values_per_node(weighting, planes)),
          .vectorised = weighting == Weighting::tsc};  // a node's differences depend on the edges
}

}  // namespace phasewise::collision
