// Takes particles from a beam's own frame at the interaction point to the frame of the collision
// and back: crab cavities, separation, Lorentz boost, and the correction of the orbit.
#pragma once

#include "beam/boost.hpp"
#include "beam/coordinates.hpp"
#include "beam/crab.hpp"

namespace phasewise::collision {

class CollisionFrame {
 public:
  // Of a particle that enters or leaves, a division or a root counted as ten.
  static constexpr double flops = 150.0;

  // shift_x and shift_y are those of this beam [m].
  CollisionFrame(const beam::CrossingAngle& angle, const beam::CrabPair& crab, double shift_x,
                 double shift_y)
      : angle_(angle), crab_(crab), shift_x_(shift_x), shift_y_(shift_y) {}

  // The same frame, which takes `change` off every particle that leaves it.
  CollisionFrame less(const beam::Coordinates& change) const {
    CollisionFrame result = *this;
    result.change_ = change;
    result.changes_ = true;
    return result;
  }

  bool is_identity() const {
    return shift_x_ == 0.0 && shift_y_ == 0.0 && angle_.sin_phi == 0.0 && !changes_;
  }

  PHASEWISE_HD void enter(beam::Coordinates& c) const {
    crab_.apply(c);
    c.x += shift_x_;
    c.y += shift_y_;
    beam::boost(c, angle_);
  }
  PHASEWISE_HD void leave(beam::Coordinates& c) const {
    beam::inverse_boost(c, angle_);
    c.x -= shift_x_;
    c.y -= shift_y_;
    crab_.undo(c);
    c.x -= change_.x;
    c.px -= change_.px;
    c.y -= change_.y;
    c.py -= change_.py;
    c.z -= change_.z;
    c.delta -= change_.delta;
  }

 private:
  beam::CrossingAngle angle_;
  beam::CrabPair crab_;
  double shift_x_, shift_y_;
  beam::Coordinates change_{};
  bool changes_ = false;
};

}  // namespace phasewise::collision
