// The potential of a beam that is long compared with its width, plane by plane. In each plane it is
// that of a line charge density λ(z): -2λ ln(ρ/b) convolved with the transverse charge, which
// vanishes on a round pipe of radius b for a beam at its centre. If λ changes over lengths L >> b,
// this is the first term of the potential in three dimensions, up to (b/L)². Its derivative along z
// is the field -gλ' with the geometry factor g = 1 + 2 ln(b/a) of a uniform beam of radius a on its
// axis. Reiser, "Theory and Design of Charged Particle Beams" (2008), section 6.3.2.
#pragma once

#include "field/poisson.hpp"

namespace phasewise::field {

struct LongBeam {
  double cell = 1.0;      // between planes, in the beam's rest frame [m]
  double log_pipe = 0.0;  // ln of b [m]
};

class LongBeamSolver {
 public:
  LongBeamSolver(int nx, int ny, int threads);

  // Turns `count` planes [nx][ny] of charge into potential in place; a unit charge has u = 1/r
  // [1/m].
  void solve(double* planes, int count, const GreenTransform& green, const LongBeam& beam) const;

  PoissonSolver& across() { return across_; }

  // One item is a plane of nx by ny nodes.
  static parallel::KernelCard card(int nx, int ny);
  // One item is the Green function of all planes.
  static parallel::KernelCard green_card(int nx, int ny);

 private:
  PoissonSolver across_;
  int threads_;
};

}  // namespace phasewise::field
