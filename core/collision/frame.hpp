// From a beam's own frame at the interaction point to the frame of the collision and back: crab cavity, separation, Lorentz boost.
#pragma once

#include <cmath>

#include "beam/boost.hpp"
#include "beam/coordinates.hpp"
#include "collision/interaction_point.hpp"
#include "numerics/elementary.hpp"

namespace phasewise::collision {

class CollisionFrame {
 public:
  // shift_x, shift_y: of this beam [m]
  CollisionFrame(const beam::CrossingAngle& angle, const Crab& crab, double shift_x, double shift_y)
      : angle_(angle),
        shift_x_(shift_x),
        shift_y_(shift_y),
        crab_amplitude_(-crab.strength * angle.tan_phi),
        wave_number_(crab.wave_number) {}

  bool is_identity() const {
    return shift_x_ == 0.0 && shift_y_ == 0.0 && angle_.sin_phi == 0.0;
  }

  PHASEWISE_HD void enter(beam::Coordinates& c) const {
    crab(c, crab_amplitude_);
    c.x += shift_x_;
    c.y += shift_y_;
    beam::boost(c, angle_);
  }
  PHASEWISE_HD void leave(beam::Coordinates& c) const {
    beam::inverse_boost(c, angle_);
    c.x -= shift_x_;
    c.y -= shift_y_;
    crab(c, -crab_amplitude_);
  }

 private:
  // Flow of H = A p_u sin(kz)/k, u in the crossing plane: shifts u by A sin(kz)/k and delta by -A p_u cos(kz).
  PHASEWISE_HD void crab(beam::Coordinates& c, double amplitude) const {
    double sine = 0.0, cosine = 1.0, reach = c.z;
    if (wave_number_ > 0.0) {
      numerics::sincos_turns(wave_number_ * c.z * (0.5 / M_PI), sine, cosine);
      reach = sine / wave_number_;
    }
    const double pu = c.px * angle_.cos_alpha + c.py * angle_.sin_alpha;
    c.x += amplitude * angle_.cos_alpha * reach;
    c.y += amplitude * angle_.sin_alpha * reach;
    c.delta -= amplitude * pu * cosine;
  }

  beam::CrossingAngle angle_;
  double shift_x_, shift_y_;
  double crab_amplitude_, wave_number_;
};

}  // namespace phasewise::collision
