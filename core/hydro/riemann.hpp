// Riemann's problem with two shocks: a rarefaction is taken for a shock of negative strength
// (Colella, Glaz, J. Comput. Phys. 59 (1985) 264; as in VH-1).
//
// Across a shock to pressure p a state's velocity changes by (p - p_s)/W, W² = ρ (A p_s + B p) with
// A = (γ-1)/2, B = (γ+1)/2. Newton's method finds where
//   F = (p - p_l)/W_l + (p - p_r)/W_r + u_r - u_l
// vanishes. F and its derivative are multiplied by powers of W_l W_r, so that a step takes two
// square roots and one division.
#pragma once

#include "hydro/sweep.hpp"
#include "hydro/values.hpp"

namespace phasewise::hydro {

// A step that changes the pressure by less is the last one: the next would change it by its square.
inline constexpr double converged_change = 1e-6;
inline constexpr int most_newton_steps = 40;

template <class V>
struct RiemannSide {
  V density, pressure, velocity, impedance;  // impedance: ρ c
};

template <class V>
struct RiemannState {
  V pressure, velocity;
};

// A face's problem, with what all steps need.
template <class V>
class TwoShocks {
 public:
  PHASEWISE_HD TwoShocks(const RiemannSide<V>& left, const RiemannSide<V>& right, double gamma,
                         double floor)
      : left_(left), right_(right), closing_(right.velocity - left.velocity), floor_(floor) {
    const double a = 0.5 * (gamma - 1.0), b = 0.5 * (gamma + 1.0);
    factor_left_ = b * left.density;
    factor_right_ = b * right.density;
    ahead_left_ = (a * left.density) * left.pressure;
    ahead_right_ = (a * right.density) * right.pressure;
    still_left_ = fused(factor_left_, left.pressure, ahead_left_);
    still_right_ = fused(factor_right_, right.pressure, ahead_right_);
    const V c = left.impedance, d = right.impedance;
    const V sum = (left.pressure * d + right.pressure * c) - (c * d) * closing_;
    pressure_ = larger(sum / (c + d), all_of<V>(floor));
  }

  // Returns by how much the pressure changes.
  PHASEWISE_HD V step() {
    const V flux_left = fused(factor_left_, pressure_, ahead_left_);
    const V flux_right = fused(factor_right_, pressure_, ahead_right_);
    wave_left_ = square_root(flux_left);
    wave_right_ = square_root(flux_right);
    const V rise_left = pressure_ - left_.pressure, rise_right = pressure_ - right_.pressure;
    const V value = fused(closing_, wave_left_ * wave_right_,
                          rise_left * wave_right_ + rise_right * wave_left_);
    // W² - ρ B (p - p_s)/2, times two, is W³ times the derivative of (p - p_s)/W.
    const V slope = (flux_left + still_left_) * (flux_right * wave_right_) +
                    (flux_right + still_right_) * (flux_left * wave_left_);
    const V next =
        larger(pressure_ - ((value + value) * (flux_left * flux_right)) / slope, all_of<V>(floor_));
    const V change = next - pressure_;
    pressure_ = next;
    return change;
  }

  PHASEWISE_HD V pressure() const { return pressure_; }
  // Takes the lanes of a step that are chosen.
  template <class Mask>
  PHASEWISE_HD void take(const TwoShocks& next, const Mask& chosen) {
    pressure_ = chosen ? next.pressure_ : pressure_;
    wave_left_ = chosen ? next.wave_left_ : wave_left_;
    wave_right_ = chosen ? next.wave_right_ : wave_right_;
  }
  // With the shocks of the last step, as both sides of the contact agree.
  PHASEWISE_HD RiemannState<V> state() const {
    const V momentum = (wave_left_ * left_.velocity + wave_right_ * right_.velocity) +
                       (left_.pressure - right_.pressure);
    return {pressure_, momentum / (wave_left_ + wave_right_)};
  }

 private:
  RiemannSide<V> left_, right_;
  V closing_, factor_left_, factor_right_, ahead_left_, ahead_right_, still_left_, still_right_;
  V pressure_;
  V wave_left_{}, wave_right_{};
  double floor_;
};

}  // namespace phasewise::hydro
