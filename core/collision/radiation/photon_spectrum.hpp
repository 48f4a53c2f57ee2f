// Synchrotron photons of an ultra-relativistic particle in a field that bends it: rate and
// spectrum of Sokolov and Ternov, "Radiation from relativistic electrons" (1986).
//
// With the radius of curvature ρ, ƛ = ħ/mc, Υ = γ² ƛ/ρ, ξ = 3Υ/2 and y = u/(ξ(1 - u)), the number
// of photons that take the share u of the energy is, per length,
//   dN/(ds du) = α/(√3 π ƛ γ) [∫_y^∞ K5/3 + u²/(1 - u) K2/3(y)].
// Its classical limit has no parameter in y: dN/ds = 5αγ/(2√3 ρ) with the density
// ∫_y^∞ K5/3/(5π/3). Since du = ξ dy/(1 + ξy)², a photon drawn from it, of u = ξy/(1 + ξy), belongs
// to the quantum spectrum with the chance
//   R = [1 + u²/(1 - u) K2/3/∫_y^∞ K5/3]/(1 + ξy)² ≤ 1.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel/macros.hpp"

namespace phasewise::collision {

// A draw from the classical number spectrum: the cube root of y, and K2/3(y)/∫_y^∞ K5/3.
struct ClassicalPhoton {
  double root, ratio;
};

// The share u of its energy that a particle loses, and the chance R that the photon is kept.
struct CandidatePhoton {
  double share, kept;
};

PHASEWISE_HD CandidatePhoton candidate_photon(const ClassicalPhoton& from, double upsilon) {
  const double t = 1.5 * upsilon * (from.root * from.root * from.root);
  const double inverse = 1.0 / (1.0 + t);
  return {t * inverse, (1.0 + t * t * inverse * from.ratio) * (inverse * inverse)};
}

class PhotonSpectrum {
 public:
  // The tables, made when they are first asked for, with the same bits everywhere.
  static const PhotonSpectrum& instance();

  // Draws from the classical spectrum by a deviate in (0, 1) that is a multiple of 2^-53. The cube
  // root of y errs by less than 1e-5 of itself.
  ClassicalPhoton draw(double deviate) const {
    if (deviate < 0.5) {
      const double place = deviate * (2.0 * low_entries);
      const int entry = static_cast<int>(place);
      return between(low_.data() + entry, place - entry);
    }
    // The octave of 1 - deviate, from 1/2 down, and the place in it.
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(1.0 - deviate);
    const std::size_t octave = 1022 - (bits >> 52);
    constexpr int shift = 52 - 6;
    static_assert(per_octave == 1 << 6);
    const std::size_t entry = (bits >> shift) & (per_octave - 1);
    const double fraction = static_cast<double>(bits & ((std::uint64_t{1} << shift) - 1)) * 0x1p-46;
    return between(high_.data() + octave * (per_octave + 1) + entry, fraction);
  }

  // Means over the quantum spectrum, divided by those over the classical one.
  struct Quantum {
    double number;  // of photons
    double loss;    // of energy
  };
  // Errs by less than 3e-6 of 1.
  PHASEWISE_HD Quantum quantum(double upsilon) const {
    const double place = upsilon / (1.0 + upsilon) * quantum_entries;
    const int entry = static_cast<int>(place < quantum_entries - 1 ? place : quantum_entries - 1);
    const double fraction = place - entry;
    const Quantum &a = quantum_[entry], &b = quantum_[entry + 1];
    return {a.number + fraction * (b.number - a.number), a.loss + fraction * (b.loss - a.loss)};
  }

 private:
  static constexpr int low_entries = 1024;      // deviates below 1/2, evenly
  static constexpr int per_octave = 64;         // of 1 - deviate, for deviates above 1/2
  static constexpr int octaves = 53;            // 1 - deviate is at least 2^-53
  static constexpr int quantum_entries = 4096;  // of Υ/(1 + Υ), evenly

  PhotonSpectrum();
  static ClassicalPhoton between(const ClassicalPhoton* at, double fraction) {
    return {at[0].root + fraction * (at[1].root - at[0].root),
            at[0].ratio + fraction * (at[1].ratio - at[0].ratio)};
  }

  std::vector<ClassicalPhoton> low_, high_;
  std::vector<Quantum> quantum_;
};

}  // namespace phasewise::collision
