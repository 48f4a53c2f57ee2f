// A bunch that meets itself after a period along z. Its particles are wrapped into one period, and
// the mesh of a period has copies of its planes at both ends, so that the loops over particles need
// not know of the period.
#pragma once

#include "beam/coordinates.hpp"
#include "field/box_mesh.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::spacecharge {

// The numbers of planes copied below the first plane and above the last: as far as a particle at an
// end reaches.
inline constexpr int planes_below = 2, planes_above = 3;

// Moves each particle to its place in [-period/2, period/2); the period is in m.
void wrap(const beam::ParticleView& particles, double period, int threads);
// One item is a particle.
parallel::KernelCard wrap_card();

// Turns a mesh into that of a period about z = 0, with `planes` planes of its own; the copies come
// in addition.
void set_period(field::BoxMesh& mesh, double period, int planes);
// Adds the charge on the copies to the planes that they are copies of.
void fold_planes(const field::BoxMesh& mesh, double* charge);
// Copies the planes to their copies.
void repeat_planes(const field::BoxMesh& mesh, double* potential);

}  // namespace phasewise::spacecharge
