#include "spacecharge/mesh_choice.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace phasewise::spacecharge {
namespace {

constexpr double levels = 8.0;  // of cell sizes per octave

}  // namespace

double spare_nodes(Weighting weighting) { return weighting == Weighting::tsc ? 4.1 : 3.1; }

field::BoxMesh following_mesh(const Extent& extent, const std::array<int, 3>& nodes, double spare) {
  field::BoxMesh mesh{.n = nodes};
  for (int axis = 0; axis < 3; ++axis) {
    const double low = extent.low[axis], high = extent.high[axis], width = high - low;
    if (!std::isfinite(width) || !(width > 0.0))
      throw std::runtime_error("the bunch has no finite size along " + std::string(1, "xyz"[axis]) +
                               ": all its particles lie at " + std::to_string(low) + " m");
    const double level = std::ceil(levels * std::log2(width / (nodes[axis] - spare)));
    mesh.h[axis] = std::exp2(level / levels);
    mesh.origin[axis] = 0.5 * (low + high) - 0.5 * (nodes[axis] - 1) * mesh.h[axis];
  }
  return mesh;
}

field::BoxMesh fixed_mesh(const std::array<double, 3>& half_width,
                          const std::array<int, 3>& nodes) {
  field::BoxMesh mesh{.n = nodes};
  for (int axis = 0; axis < 3; ++axis) {
    mesh.h[axis] = 2.0 * half_width[axis] / (nodes[axis] - 1);
    mesh.origin[axis] = -half_width[axis];
  }
  return mesh;
}

}  // namespace phasewise::spacecharge
