// The work on particles of a kick: the box that holds them, their charge on a mesh, and the kick.
#pragma once

#include <cstdint>

#include "beam/coordinates.hpp"
#include "field/box_mesh.hpp"
#include "parallel/buffer.hpp"
#include "parallel/kernel.hpp"
#include "spacecharge/mesh_choice.hpp"

namespace phasewise::spacecharge {

// The box that holds these particles; without any, from infinity to minus infinity.
Extent extent_of(const beam::ParticleView& particles, int threads);

class ChargeDeposit {
 public:
  // Of a part of the particles: one thread's.
  using OfPart = std::int64_t (*)(const beam::ParticleView& particles, const field::BoxMesh& mesh,
                                  double quantum, double* charge);

  // Overwrites charge[nz][nx][ny] with that of the particles, each 1, in multiples of the quantum;
  // returns how many of them lie outside the mesh and so have no charge on it.
  std::int64_t run(OfPart deposit, const beam::ParticleView& particles, const field::BoxMesh& mesh,
                   double quantum, double* charge, int threads);

 private:
  parallel::Buffer<double> others_;  // meshes of all threads but the first
};

// Cloud in cell, of a part of the particles.
std::int64_t deposit_cic(const beam::ParticleView& particles, const field::BoxMesh& mesh,
                         double quantum, double* charge);

// Adds factor·(-∂u/∂x, -∂u/∂y) to (px, py) and along·(-∂u/∂z) to delta; particles outside keep
// theirs.
void kick_cic(const beam::ParticleView& particles, const field::BoxMesh& mesh,
              const double* potential, double factor, double along, int threads);

// One item: a particle.
parallel::KernelCard extent_card();
// nodes_each: mesh nodes for each particle, which are set to zero.
parallel::KernelCard deposit_card(double nodes_each);
parallel::KernelCard kick_card(double nodes_each);

}  // namespace phasewise::spacecharge
