// The work on particles in a kick: the box that holds them, their charge on a mesh, and the kick.
#pragma once

#include <cstdint>

#include "beam/coordinates.hpp"
#include "beam/particles.hpp"
#include "field/box_mesh.hpp"
#include "parallel/buffer.hpp"
#include "parallel/kernel.hpp"
#include "spacecharge/mesh_choice.hpp"

namespace phasewise::spacecharge {

// The box that holds these particles; without particles it goes from infinity to minus infinity.
Extent extent_of(const beam::ParticleView& particles, int threads);

class ChargeDeposit {
 public:
  // Deposits a part of the particles, those of one thread.
  using OfPart = std::int64_t (*)(const beam::ParticleView& particles, const field::BoxMesh& mesh,
                                  double quantum, double* charge);

  // Overwrites charge[nz][nx][ny] with that of the particles, 1 each, in multiples of the quantum.
  // Returns how many of them lie outside the mesh, and therefore have no charge on it.
  std::int64_t run(OfPart deposit, const beam::ParticleView& particles, const field::BoxMesh& mesh,
                   double quantum, double* charge, int threads);

 private:
  parallel::Buffer<double> others_;  // meshes of all threads but the first
};

// Deposits a part of the particles as clouds in cells.
std::int64_t deposit_cic(const beam::ParticleView& particles, const field::BoxMesh& mesh,
                         double quantum, double* charge);

// Kicks particles as clouds in cells.
class KickCic {
 public:
  // Adds factor·(-∂u/∂x, -∂u/∂y) to (px, py) and along·(-∂u/∂z) to delta. Particles outside keep
  // their momenta.
  void run(const beam::ParticleView& particles, const field::BoxMesh& mesh, const double* potential,
           double factor, double along, int threads);

 private:
  parallel::Buffer<double> differences_;  // [nz][nx][ny][4], those of the potential
};

class PlaneSort {
 public:
  // Sorts the particles into this number of bins along z, so that the mesh nodes around one
  // particle and the next stay in the cache. The order of particles changes no bit of a result.
  void run(beam::Particles& particles, int bins, int threads);

 private:
  parallel::Buffer<std::uint16_t> bin_of_;
};

// One item is a particle.
parallel::KernelCard extent_card();
parallel::KernelCard sort_card();
// nodes_each is the number of mesh nodes per particle, which are set to zero, or whose differences
// are computed.
parallel::KernelCard deposit_card(double nodes_each);
parallel::KernelCard kick_card(double nodes_each);

}  // namespace phasewise::spacecharge
