// A slice of one beam meets a slice of the other: every particle drifts to its collision point S =
// (z - z_other)/2, is kicked by the opposing slice's field, and drifts back with its new momentum.
// Meanwhile its charge is deposited on the mesh for the next encounter. The map is exp(-drift(z)) ∘
// exp(kick) ∘ exp(drift(z)), so that delta changes with the drifts too (synchro-beam mapping:
// Hirata, Moshammer, Ruggiero, Part. Accel. 40 (1993) 205).
#pragma once

#include <cstdint>
#include <functional>

#include "beam/coordinates.hpp"
#include "collision/mesh/far_field.hpp"
#include "collision/mesh/weighting.hpp"
#include "field/mesh.hpp"
#include "field/weights.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::collision {

// Where a slice deposits its charge: on the planes where it meets the opposing slice (its centroid,
// or its two boundaries).
struct ChargeTarget {
  int planes;                   // 1 or 2
  field::WindowFrame frame[2];  // of each plane, the first twice if there is one
  double z[2];                  // opposing slice's planes [m]: centroid, or head and tail
  double* charge[2];            // [nx][ny]
  double rounding_offset;       // rounds weights to multiples of the charge quantum
};

// The field of the opposing slice on this slice's window, prepared for reading and scaled so that a
// kick adds it to px.
struct KickSource {
  field::WindowFrame frame[2];  // of the head and the tail plane, or of the only plane twice
  int planes;
  double z_other;         // centroid of the opposing slice [m]
  double z_tail;          // own slice's tail plane [m]; the field is tail + fraction·(head - tail)
  double inverse_length;  // 1/(head plane - tail plane) [1/m]
  // Whether the planes have meshes of their own. Then `nodes` holds one plane after the other, head
  // first, each prepared as if it were the only one, and the potential itself is read too.
  bool apart = false;
  const double* nodes;  // as prepare_rows makes them
  // Of fields of two planes on one mesh: u of the head minus u of the tail.
  const double* difference;
  bool longitudinal_kick;
  FarSource far;  // for the particles in the frame's rim and beyond the mesh
};

// What happens to a block of particles, those from `first` of the view on, after they are kicked;
// `kick` has Δpx and Δpy of each side by side.
using AfterKick =
    std::function<void(const beam::ParticleView& block, std::int64_t first, const double* kick)>;

// Kicks the particles unless `kick` is null, then deposits them unless `deposit` is null. Returns
// the number of deposits outside the mesh.
std::int64_t encounter(Weighting weighting, Arithmetic arithmetic,
                       const beam::ParticleView& particles, const KickSource* kick,
                       const ChargeTarget* deposit, const AfterKick& after_kick = nullptr);
// One item is a particle that is kicked and deposited. The few in the rim and beyond the mesh, each
// of which needs a field of its own, are left out. It is kicked by the field on `planes` planes,
// and deposited on `deposits`. `apart` is the share of the particles that read two planes on meshes
// of their own; `passes` is the number of passes over a particle for its deposits, besides the pass
// in which it is kicked.
parallel::KernelCard encounter_card(Weighting weighting, Arithmetic arithmetic, int planes,
                                    int deposits, double apart = 0.0, double passes = 0.0);

// One item is a node of a charge plane, set to zero.
parallel::KernelCard clear_card();

}  // namespace phasewise::collision
