// The force of a bunch by its rms sizes alone: that of an ellipsoid of uniform charge, which is
// linear inside, and its form where the charge is not uniform.
#pragma once

#include "beam/coordinates.hpp"
#include "beam/matched.hpp"
#include "beam/profile.hpp"
#include "spacecharge/description.hpp"

namespace phasewise::spacecharge {

// The second moments of x, y and z in the laboratory frame.
struct Sizes {
  double xx, xy, yy, zz;  // m²
};

// The matrix of a kick: px += xx x + xy y, py += xy x + yy y, δ += zz z [1/m].
struct LinearKick {
  double xx, xy, yy, zz;
};

struct LinearForce {
  double gamma2 = 1.0;  // γ²
  double factor = 0.0;  // that of a kick, m²
  double across = 1.0;  // scales the transverse force to the bunch's line density
  bool along = false;   // whether the force along z acts too

  LinearKick kick(const Sizes& sizes) const;
  // Adds the matrix of a kick to a map.
  void add(beam::Square& map, const Sizes& sizes) const;
};

// That of the study's bunch.
LinearForce linear_force(const Description& description, bool along);

// Kicks the particles of a sample by the force of the whole bunch. Its sizes are those of the
// sample. Farther out than a uniform ellipsoid reaches, and within a Gaussian bunch, the force is
// that of the charge within the same multiple of the rms sizes; this is exact for a round bunch.
void kick_by_sizes(const beam::ParticleView& particles, const Description& description);

}  // namespace phasewise::spacecharge
