// The field of one slice on its window of the mesh, for pictures.
#pragma once

#include <vector>

#include "field/mesh.hpp"

namespace phasewise::collision {

struct SliceField {
  std::vector<double> x, y;                       // m, of the window's nodes
  std::vector<double> charge, potential, ex, ey;  // [nx][ny]
};

// The field of charge[nx][ny], given its potential[nx][ny].
SliceField slice_field(const field::Mesh& mesh, const field::Window& window, const double* charge,
                       const double* potential);

}  // namespace phasewise::collision
