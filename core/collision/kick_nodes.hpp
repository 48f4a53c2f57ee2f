// What the particles read of a field: values on the nodes of the mesh, made from the potential.
#pragma once

#include "collision/weighting.hpp"
#include "field/mesh.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::collision {

// Number of values per node: CIC Ex Ey, or with two planes Ex Ey of the tail and their differences
// head - tail; TSC u, or u of the tail and its difference.
int values_per_node(Weighting weighting, int planes);

// Computes rows [begin, end) of the nodes that `encounter` reads, from the potential planes of head
// and tail (the same plane twice if there is one). scale: factor from u to the kick's potential;
// difference: CIC with two planes, u of the head minus u of the tail.
void prepare_nodes(Weighting weighting, int planes, const double* head, const double* tail,
                   const field::Mesh& mesh, double scale, double* nodes, double* difference,
                   int begin, int end);
// One item: a node.
parallel::KernelCard nodes_card(Weighting weighting, int planes);

}  // namespace phasewise::collision
