// One beam of a simulation: its constants, its line from interaction point to interaction point,
// its particles on this rank.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "beam/line.hpp"
#include "beam/moments.hpp"
#include "beam/particles.hpp"

namespace phasewise::driver {

struct Bunch {
  int number = 1;       // 1 or 2
  double charge = 1.0;  // elementary charges
  double mass = 0.0;    // eV
  double energy = 0.0;  // eV
  double population = 0.0;
  std::int64_t macroparticles = 0;
  bool strong = false;  // not tracked

  double gamma() const { return energy / mass; }
  double beta() const;              // velocity over c
  double classical_radius() const;  // of one unit charge and this mass [m]
  double per_macroparticle() const { return population / static_cast<double>(macroparticles); }

  std::optional<beam::Particles> particles;  // where this rank holds some
  std::int64_t first_id = 0, last_id = 0;    // ids that live here
  std::vector<beam::Line> segments;          // after each interaction point
  beam::Bounds bounds{};                     // largest coordinates now, of this rank's particles
  beam::Moments moments;   // of the whole beam on arrival at the last interaction point
  std::int64_t alive = 0;  // of the whole beam
  bool exposed = true;     // somebody may have written to the particles: bounds must be found anew
};

// Kick on `target` by one macroparticle of `source`, times its field E = r/r²: 2 N r_c q q'/(γ cos
// φ) (1
// + ββ')/((β + β')β). [m]
double kick_scale(const Bunch& target, const Bunch& source, double cos_phi);

}  // namespace phasewise::driver
