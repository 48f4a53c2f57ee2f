// Takes particles from a beam's own frame at the interaction point to the frame of the collision
// and back: crab waist, crab cavities, separation, Lorentz boost, and the correction of the orbit.
#pragma once

#include "beam/boost.hpp"
#include "beam/coordinates.hpp"
#include "beam/crab.hpp"
#include "collision/insertions.hpp"

namespace phasewise::collision {

class CollisionFrame {
 public:
  // Of a particle that enters or leaves, a division or a root counted as ten, without insertions.
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
  // The same frame with what stands before the point and behind it. The waist of a particle at x
  // lies at s = -waist_slope x.
  CollisionFrame with(const Insertions& before, const Insertions& behind,
                      double waist_slope) const {
    CollisionFrame result = *this;
    result.before_ = before;
    result.behind_ = behind;
    result.waist_slope_ = waist_slope;
    return result;
  }
  // The same frame without a crab waist.
  CollisionFrame without_waist() const {
    CollisionFrame result = *this;
    result.before_.has_waist = result.behind_.has_waist = false;
    return result;
  }
  // The insertions alone, where the beams do not collide.
  CollisionFrame insertions_alone() const {
    return CollisionFrame({}, {}, 0.0, 0.0).with(before_, behind_, waist_slope_);
  }

  const Insertions& before() const { return before_; }
  const Insertions& behind() const { return behind_; }
  bool has_insertions() const { return before_.size() + behind_.size() > 0; }
  double waist_slope() const { return waist_slope_; }
  double flops_to_enter() const { return flops + Insertions::flops_of_one * before_.size(); }
  double flops_to_leave() const { return flops + Insertions::flops_of_one * behind_.size(); }

  bool is_identity() const {
    return shift_x_ == 0.0 && shift_y_ == 0.0 && angle_.sin_phi == 0.0 && !changes_ &&
           !has_insertions();
  }

  PHASEWISE_HD void enter(beam::Coordinates& c) const {
    before_.inwards([&c](const auto& kick) { kick.apply(c); });
    come_in(c);
  }
  PHASEWISE_HD void leave(beam::Coordinates& c) const {
    go_out(c);
    behind_.outwards([&c](const auto& kick) { kick.apply(c); });
    correct(c);
  }

  // The steps of both, between which loops over many particles take their insertions one by one.
  PHASEWISE_HD void come_in(beam::Coordinates& c) const {
    crab_.apply(c);
    c.x += shift_x_;
    c.y += shift_y_;
    beam::boost(c, angle_);
  }
  PHASEWISE_HD void go_out(beam::Coordinates& c) const {
    beam::inverse_boost(c, angle_);
    c.x -= shift_x_;
    c.y -= shift_y_;
    crab_.undo(c);
  }
  PHASEWISE_HD void correct(beam::Coordinates& c) const {
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
  Insertions before_{}, behind_{};
  double waist_slope_ = 0.0;
};

}  // namespace phasewise::collision
