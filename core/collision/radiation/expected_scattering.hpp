// How many particles of a beam radiative Bhabha scattering takes on average: the luminosity of each
// pair of slices times its cross section.
#pragma once

#include <vector>

#include "collision/radiation/virtual_photons.hpp"

namespace phasewise::collision {

class ExpectedScattering {
 public:
  // `losing`: the share of the energy above which a particle is lost; 0 if none is.
  ExpectedScattering(const RadiativeBhabha& physics, double least, double losing);

  // Cross sections [m²] of all events and of those that lose the particle; `size` [m] is as in
  // RadiativeBhabha.
  struct CrossSections {
    double events, losses;
  };
  CrossSections at(double size) const;

 private:
  std::vector<CrossSections> value_;  // evenly in the logarithm of the size
};

}  // namespace phasewise::collision
