// A slice of one beam meets a slice of the other: every particle drifts to its collision point S =
// (z - z_other)/2, is kicked by the opposing slice's field, and drifts back with its new momentum;
// on the way its charge is put on the mesh for the next encounter. The map is exp(-drift(z)) ∘
// exp(kick) ∘ exp(drift(z)), so that delta changes with the drifts too (synchro-beam mapping:
// Hirata, Moshammer, Ruggiero, Part. Accel. 40 (1993) 205).
#pragma once

#include <cstdint>

#include "beam/coordinates.hpp"
#include "collision/far_field.hpp"
#include "field/mesh.hpp"
#include "field/weights.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::collision {

enum class Weighting { cic, tsc };

// Where a slice deposits its charge: on the planes where it meets the opposing slice (its centroid,
// or its two boundaries).
struct ChargeTarget {
  field::WindowFrame frame;
  int planes;              // 1 or 2
  double z[2];             // opposing slice's planes [m]: centroid, or head and tail
  double* charge[2];       // [nx][ny]
  double rounding_offset;  // rounds weights to multiples of the charge quantum
};

// The field of the opposing slice on this slice's window, ready to be read; scaled so that adding
// it to px is the kick.
struct KickSource {
  field::WindowFrame frame;
  int planes;
  double z_other;  // centroid of the opposing slice [m]
  double z_tail;   // own slice's tail plane [m]; the field is nodes + fraction·(head - tail)
  double inverse_length;     // 1/(head plane - tail plane) [1/m]
  const double* nodes;       // per node: CIC Ex Ey, or with two planes Ex Ey of the tail and their
                             // differences head - tail; TSC u, or u of the tail and its difference
  const double* difference;  // CIC with two planes: u of the head minus u of the tail
  bool longitudinal_kick;
  FarSource far;  // for the particles in the frame's rim and beyond the mesh
};

// Number of values per node in KickSource::nodes.
int values_per_node(Weighting weighting, int planes);

// Kicks the particles unless `kick` is null, then deposits them unless `deposit` is null. Returns
// the number of deposits outside the mesh.
std::int64_t encounter(Weighting weighting, const beam::ParticleView& particles,
                       const KickSource* kick, const ChargeTarget* deposit);
// One item: a particle that is kicked and deposited. The few in the rim and beyond the mesh, of
// which each takes a field of its own, are left out.
parallel::KernelCard encounter_card(Weighting weighting, int planes);

// Computes rows [begin, end) of the nodes that `encounter` reads, from the potential planes of head
// and tail (the same plane twice if there is one). scale: factor from u to the kick's potential;
// nodes and difference as in KickSource.
void prepare_nodes(Weighting weighting, int planes, const double* head, const double* tail,
                   const field::Mesh& mesh, double scale, double* nodes, double* difference,
                   int begin, int end);
// One item: a node.
parallel::KernelCard nodes_card(Weighting weighting, int planes);
// One item: a node of a charge plane, set to zero.
parallel::KernelCard clear_card();

}  // namespace phasewise::collision
