// A bunch that meets itself after a period along z: its particles wrapped into one period, and the
// mesh of a period with copies of its planes at both ends, so that the loops over particles need
// not know of it.
#pragma once

#include "beam/coordinates.hpp"
#include "field/box_mesh.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::spacecharge {

// Planes copied below the first one and above the last one: what a particle at an end reaches.
inline constexpr int planes_below = 2, planes_above = 3;

// Puts each particle to its place in [-period/2, period/2); the period is in m.
void wrap(const beam::ParticleView& particles, double period, int threads);
// One item: a particle.
parallel::KernelCard wrap_card();

// Makes a mesh that of a period, about z = 0, of which `planes` are its own; the copies come on
// top.
void set_period(field::BoxMesh& mesh, double period, int planes);
// Adds the charge on the copies to the planes of which they are copies.
void fold_planes(const field::BoxMesh& mesh, double* charge);
// Sets the copies to their planes.
void repeat_planes(const field::BoxMesh& mesh, double* potential);

}  // namespace phasewise::spacecharge
