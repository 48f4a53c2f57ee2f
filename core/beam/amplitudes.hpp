// The distribution of a plane's amplitude r, with r² = u² + p² in units in which u and p have
// rms 1.
//
// A bunch whose density depends on the amplitude alone is matched. A projection on u is the Abel
// transform of that density: a q-Gaussian u has a density in (u, p) that is a q-Gaussian too, with
// the exponent less or more by 1/2 (C. Tsallis, J. Stat. Phys. 52 (1988) 479; on beams: S.
// Papadopoulou et al., PRAB 23 (2020) 101004).
#pragma once

#include <cstdint>

namespace phasewise::beam {

enum class Shape : std::uint8_t {
  q_gaussian,  // q = 1: Gaussian; 0: a parabola
  hollow,      // density r² exp(-r²)
};

class Amplitudes {
 public:
  Amplitudes() = default;
  // Amplitudes above `cut` [rms] are cut off; 0: none. q < 5/3.
  Amplitudes(Shape shape, double q, double cut);

  bool is_gaussian() const { return shape_ == Shape::q_gaussian && q_ == 1.0; }
  // r² of the particle of which the share u of the bunch lies further out, before any cut.
  double square_of(double u) const;
  // exp(-cut²/2) of a Gaussian; the share of the bunch that a cut takes off.
  double floor() const { return floor_; }

 private:
  double share_beyond(double square) const;

  Shape shape_ = Shape::q_gaussian;
  double q_ = 1.0;
  double floor_ = 0.0;
};

}  // namespace phasewise::beam
