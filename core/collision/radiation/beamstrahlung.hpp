// Beamstrahlung: what the particles of a beam radiate in the field of the other one.
//
// A kick |Δp⊥| from one opposing slice is a bend by θ = |Δp⊥|/(1 + δ), spread over the slice's
// length as its charge is: a particle meets the slice's charge at z' while it goes ds = dz'/2, so
// that 1/ρ = 2θ g(z') with the slice's density g of unit charge. The kick does not depend on the
// particle's energy, and γθ therefore does not either: a particle expects 5αγθ/(2√3) photons by the
// classical spectrum, and Υ = γ²ƛ/ρ = (1 + δ) γ0² ƛ |Δp⊥| 2g.
//
// All this is in the collision's frame, in which the beams meet head-on. Lengths along s are 1/cos
// φ times as long there, the particles' energy is cos φ times as large, and px is normalised to P0
// cos φ (beam/boost.hpp): γ0 is γ cos φ of the beam's γ, so that γ0|Δp⊥|, the transverse momentum
// in units of mc, is the same in both frames, and Υ, whose γ0 g falls by cos² φ, is that of the
// bunches which pass each other at an angle. A photon flies along the particle, so that it takes
// the same share u of the energy in both frames, and of all three momenta.
#pragma once

#include <cstdint>
#include <vector>

#include "beam/bunch.hpp"
#include "beam/coordinates.hpp"
#include "collision/radiation/photon_spectrum.hpp"
#include "collision/radiation/photon_tally.hpp"
#include "collision/radiation/slice_density.hpp"
#include "parallel/buffer.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::collision {

// quantum: photon by photon; mean: every particle loses what it would lose on average.
enum class Beamstrahlung : std::uint8_t { none, quantum, mean };

class RadiatingBeam {
 public:
  // cos_phi is that of half the crossing angle, `ip` the number of the interaction point from 0.
  RadiatingBeam(Beamstrahlung kind, const beam::BunchConstants& bunch, double cos_phi, int ip,
                std::uint64_t seed, int threads);

  // Begins a passage of these particles, whose order then stays as it is; `opposing` has the
  // densities of the slices that they will meet, and must stay in place.
  void begin(const beam::ParticleView& particles, std::int64_t turn, const SliceDensity& opposing);
  // The particles, which are those from `first` on, have just been kicked by a slice of the other
  // beam; kick has Δpx and Δpy of each side by side. At most parallel::block_size particles.
  void radiate(const beam::ParticleView& particles, std::int64_t first, int slice,
               const double* kick, int thread);
  // What has been radiated since the passage began, on this rank.
  PhotonTally tally() const;

  Beamstrahlung kind() const { return kind_; }
  int scale() const { return scale_; }

 private:
  void emit(const beam::ParticleView& particles, std::int64_t i, int slice, double kick,
            double& depth, std::uint16_t& drawn, PhotonTally& tally) const;
  void radiate_quanta(const beam::ParticleView& particles, std::int64_t first, int slice,
                      const double* kick, PhotonTally& tally);
  void radiate_mean(const beam::ParticleView& particles, int slice, const double* kick,
                    PhotonTally& tally) const;

  Beamstrahlung kind_;
  const PhotonSpectrum& spectrum_;
  std::uint64_t seed_;
  std::uint32_t index_;
  int threads_;
  int scale_;
  double gamma_;       // of a particle of the design momentum, in the collision's frame
  double rate_;        // photons per |Δp⊥|
  double upsilon_;     // Υ/((1 + δ) |Δp⊥| g) [m]
  double mean_share_;  // u/((1 + δ) |Δp⊥|² g) [m], classical
  std::uint64_t turn_ = 0;
  const SliceDensity* opposing_ = nullptr;
  std::vector<SliceDensity::Means> means_;  // of the opposing slices, if the mean is asked for
  parallel::Buffer<double> depth_;          // optical depth that is left until a photon
  parallel::Buffer<std::uint16_t> drawn_;   // photons that were drawn for a particle
  std::vector<PhotonTally> tallies_;        // of each thread
};

// The card of a kick with what its particles radiate; the few photons are left out.
parallel::KernelCard with_radiation(parallel::KernelCard kick);

}  // namespace phasewise::collision
