#include "collision/mesh/slice_field.hpp"

#include "collision/mesh/kick_nodes.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::collision {

SliceField slice_field(const field::Mesh& mesh, const field::Window& window, const double* charge,
                       const double* potential) {
  const field::WindowFrame frame(mesh, window);
  SliceField result;
  for (int i = 0; i < mesh.nx; ++i) result.x.push_back(frame.x0 + i * mesh.hx);
  for (int j = 0; j < mesh.ny; ++j) result.y.push_back(frame.y0 + j * mesh.hy);
  result.charge.assign(charge, charge + mesh.nodes());
  result.potential.assign(potential, potential + mesh.nodes());
  parallel::Buffer<double> nodes(2 * mesh.nodes());
  prepare_rows({NodeValues::field, 1, potential, potential, mesh, 1.0, nodes.data(), nullptr}, 0,
               mesh.nx);
  for (std::int64_t at = 0; at < mesh.nodes(); ++at) {
    result.ex.push_back(nodes[2 * at]);
    result.ey.push_back(nodes[2 * at + 1]);
  }
  return result;
}

}  // namespace phasewise::collision
