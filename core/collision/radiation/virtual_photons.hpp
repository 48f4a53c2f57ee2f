// Radiative Bhabha scattering, e⁺e⁻ → e⁺e⁻γ: a particle scatters a virtual photon of a particle of
// the other beam, and loses the share k of its energy.
//
// G. Altarelli, F. Buccella, Nuovo Cimento 34 (1964) 1337, less what the beams' sizes take off:
//   dσ/dk = 4αr²/k (4/3 - 4k/3 + k²) [ln(4γ²(1 - k)/k) - 1/2 - L(k)].
// For particles of the energies γ1 and γ2, γ² is γ1γ2. The particle meets virtual photons of
// energies ω = ω_min/r, r in (0, 1), with the weight c(r) = 1/(1 - k) + 1 - k - 4r(1 - r); ω_min
// belongs to backscattering. At a distance b of the particles their flux is (qb)² K1²(qb) db/b,
// with 1/q = 4γ²(1 - k)ƛ r/k. The logarithm counts them up to b = 1/q, as if the density of the
// other beam at the particle were that at every b. Where the densities of both beams together fall
// off with Σ, the root of the sum of their squared sizes, the photons beyond are missing:
//   L(v) = ∫ x K1²(x) [1 - exp(-x²/2v²)] dx,   v = qΣ,   averaged over r,
// which for narrow beams is -ln v + (ln 2 - C - 1)/2, C being Euler's constant. Averaged over the
// directions of b the logarithm has 2ΣxΣy/(Σx + Σy) in the place of Σ, which is exact for narrow
// beams; elsewhere it errs by less than 1e-3 of the cross section (G. Kotkin, V. Serbo, Phys. Rev.
// ST Accel. Beams 7 (2004) 101001).
#pragma once

#include <cmath>
#include <vector>

namespace phasewise::collision {

// L(v), made when it is first asked for.
class MissingPhotons {
 public:
  static const MissingPhotons& instance();
  double at(double v) const;

 private:
  MissingPhotons();
  std::vector<double> value_;  // evenly in ln v
};

// What scattering is asked for.
struct Bhabha {
  bool on = false;
  double least = 0.001;   // share of the energy; smaller losses are left out
  bool beam_size = true;  // whether L(k) is taken off
  double scale = 1.0;     // events that are drawn for each that happens
};

// One particle's scattering by those of another beam.
class RadiativeBhabha {
 public:
  // energies: γ1 γ2 in the frame in which the beams meet head-on; radius: the classical one [m].
  RadiativeBhabha(const Bhabha& about, double energies, double radius);

  // The cross section [m²] for losses above `least`, 2ΣxΣy/(Σx + Σy) being `size` [m].
  double cross_section(double least, double size) const;

  // Not below any cross section.
  double bound() const { return bound_; }
  // The share k of the energy that a candidate with the cross section bound() loses, and the chance
  // that it is real; the deviates are in (0, 1).
  struct Candidate {
    double share, chance;
  };
  Candidate candidate(double size, double of_share, double of_kind, double of_photon) const;

 private:
  double bracket(double k, double r, double size) const;

  Bhabha about_;
  double energies_, wave_length_, radius2_;
  double largest_;  // of the bracket
  double bound_;
};

}  // namespace phasewise::collision
