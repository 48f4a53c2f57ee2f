// The kick of a Gaussian bunch whose field is known in closed form. Transversely it is that of
// Bassetti and Erskine, with the line density of the bunch at the particle; along z it follows from
// the change of that density within a round pipe of radius b. Both are the gradient of one
// potential,
//   u = 2 λ(z) (U(x, y) + ln b),  U = -ln r far away (field/gaussian_potential.hpp).
#pragma once

#include <array>
#include <optional>

#include "beam/coordinates.hpp"
#include "beam/moments.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::spacecharge {

// Where a frozen bunch is at a kick, and how large.
struct FrozenPlace {
  std::array<double, 3> centre{};  // x, y, z [m]
  std::array<double, 3> size{};    // rms [m]
};

struct FrozenBunch {
  FrozenPlace place{};
  double charge = 0.0;             // macroparticles
  std::optional<double> period{};  // along z [m]
  bool coasting = false;           // uniform over the period
};

// The bunch with these measured moments. Throws std::runtime_error if it has no size in x, y or z.
FrozenBunch frozen_bunch(const beam::Moments& moments);

struct FrozenKick {
  double factor;                     // that of a kick from the mesh [m]
  double gamma;                      // to the rest frame's line density
  std::optional<double> log_pipe{};  // ln of b [m]; none: no force along z
};

// Adds factor·(-∂u/∂x, -∂u/∂y, -∂u/∂z) to (px, py, delta).
void kick(const beam::ParticleView& particles, const FrozenBunch& bunch, const FrozenKick& how,
          int threads);

// One item is a particle. `along` includes the force along z.
parallel::KernelCard frozen_card(bool along);

}  // namespace phasewise::spacecharge
