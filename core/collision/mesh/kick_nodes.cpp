#include "collision/mesh/kick_nodes.hpp"

namespace phasewise::collision {

void prepare_rows(const NodesTask& task, int begin, int end) {
  const NodesTask t = task;  // a copy, so that the compiler knows that no store changes it
  if (t.weighting == Weighting::tsc) {
    const std::int64_t first = static_cast<std::int64_t>(begin) * t.mesh.ny;
    const std::int64_t last = static_cast<std::int64_t>(end) * t.mesh.ny;
    for (std::int64_t at = first; at < last; ++at) prepare_tsc(t, at);
    return;
  }
  for (int i = begin; i < end; ++i)
    for (int j = 0; j < t.mesh.ny; ++j) prepare_cic(t, i, j);
}

parallel::KernelCard nodes_card(Weighting weighting, int planes) {
  return {.name = "field",
          .flops = 6.0 * planes,
          .bytes = 8.0 * (planes + values_per_node(weighting, planes)),
          .vectorised = weighting == Weighting::tsc};  // a node's differences depend on the edges
}

}  // namespace phasewise::collision
