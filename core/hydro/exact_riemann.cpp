#include <algorithm>
#include <cmath>

#include "hydro/exact.hpp"

namespace phasewise::hydro {
namespace {

struct Rise {
  double velocity, slope;
};

double speed_of_sound(double gamma, const Primitive& state) {
  return std::sqrt(gamma * state.pressure / state.density);
}

// By what the velocity changes through a wave that takes a state to pressure p, and the derivative.
Rise through_wave(double gamma, const Primitive& state, double p) {
  if (p > state.pressure) {
    const double a = 2.0 / ((gamma + 1.0) * state.density);
    const double b = (gamma - 1.0) / (gamma + 1.0) * state.pressure;
    const double root = std::sqrt(a / (p + b));
    return {(p - state.pressure) * root, root * (1.0 - 0.5 * (p - state.pressure) / (p + b))};
  }
  const double c = speed_of_sound(gamma, state), ratio = p / state.pressure;
  const double power = 0.5 * (gamma - 1.0) / gamma;
  return {2.0 * c / (gamma - 1.0) * (std::pow(ratio, power) - 1.0),
          std::pow(ratio, -0.5 * (gamma + 1.0) / gamma) / (state.density * c)};
}

// The root is unique, and the function concave: Newton's steps from below it stay below.
double pressure_between(double gamma, const Primitive& left, const Primitive& right) {
  const double closing = right.velocity[0] - left.velocity[0];
  const double power = 0.5 * (gamma - 1.0) / gamma;
  const double c_left = speed_of_sound(gamma, left), c_right = speed_of_sound(gamma, right);
  // Of two rarefactions; it is no larger than the root by more than rounding.
  const double driven = std::max(c_left + c_right - 0.5 * (gamma - 1.0) * closing, 0.0);
  const double root = driven / (c_left * std::pow(left.pressure, -power) +
                                c_right * std::pow(right.pressure, -power));
  double p = std::max(std::pow(root, 1.0 / power), 1e-300);
  for (int step = 0; step < 200; ++step) {
    const Rise a = through_wave(gamma, left, p), b = through_wave(gamma, right, p);
    const double next =
        std::max(p - (a.velocity + b.velocity + closing) / (a.slope + b.slope), 0.1 * p);
    const bool same = std::fabs(next - p) <= 1e-15 * next;
    p = next;
    if (same) break;
  }
  return p;
}

double density_behind(double gamma, const Primitive& state, double p) {
  const double ratio = p / state.pressure, k = (gamma - 1.0) / (gamma + 1.0);
  if (ratio > 1.0) return state.density * (ratio + k) / (k * ratio + 1.0);
  return state.density * std::pow(ratio, 1.0 / gamma);
}

// Head and tail of the wave beside a state; `side` is -1 on the left.
void find_wave(const RiemannSolution& of, const Primitive& state, double density, double side,
               double& head, double& tail) {
  const double gamma = of.gamma, c = speed_of_sound(gamma, state);
  if (of.vacuum) {
    head = state.velocity[0] + side * c;
    tail = state.velocity[0] - side * 2.0 * c / (gamma - 1.0);
  } else if (of.pressure > state.pressure) {
    const double ratio = of.pressure / state.pressure;
    head = tail =
        state.velocity[0] +
        side * c * std::sqrt(0.5 * (gamma + 1.0) / gamma * ratio + 0.5 * (gamma - 1.0) / gamma);
  } else {
    head = state.velocity[0] + side * c;
    tail = of.velocity + side * std::sqrt(gamma * of.pressure / density);
  }
}

// Inside the rarefaction beside a state.
Primitive in_fan(double gamma, const Primitive& state, double side, double speed) {
  const double c = speed_of_sound(gamma, state);
  const double ratio =
      (2.0 - side * (gamma - 1.0) / c * (state.velocity[0] - speed)) / (gamma + 1.0);
  Primitive found = state;
  found.density *= std::pow(ratio, 2.0 / (gamma - 1.0));
  found.pressure *= std::pow(ratio, 2.0 * gamma / (gamma - 1.0));
  found.velocity[0] =
      2.0 / (gamma + 1.0) * (-side * c + 0.5 * (gamma - 1.0) * state.velocity[0] + speed);
  return found;
}

}  // namespace

RiemannSolution exact_riemann(double gamma, const Primitive& left, const Primitive& right) {
  RiemannSolution found{.gamma = gamma, .left = left, .right = right};
  const double c_left = speed_of_sound(gamma, left), c_right = speed_of_sound(gamma, right);
  const double closing = right.velocity[0] - left.velocity[0];
  found.vacuum = 2.0 / (gamma - 1.0) * (c_left + c_right) <= closing;
  if (!found.vacuum) {
    found.pressure = pressure_between(gamma, left, right);
    found.velocity = 0.5 * (left.velocity[0] + right.velocity[0]) +
                     0.5 * (through_wave(gamma, right, found.pressure).velocity -
                            through_wave(gamma, left, found.pressure).velocity);
    found.density_left = density_behind(gamma, left, found.pressure);
    found.density_right = density_behind(gamma, right, found.pressure);
  }
  find_wave(found, left, found.density_left, -1.0, found.left_head, found.left_tail);
  find_wave(found, right, found.density_right, 1.0, found.right_head, found.right_tail);
  if (found.vacuum) found.velocity = 0.5 * (found.left_tail + found.right_tail);
  return found;
}

Primitive RiemannSolution::at(double x_over_t) const {
  if (x_over_t <= left_head) return left;
  if (x_over_t >= right_head) return right;
  if (x_over_t < left_tail) return in_fan(gamma, left, -1.0, x_over_t);
  if (x_over_t > right_tail) return in_fan(gamma, right, 1.0, x_over_t);
  const bool on_left = x_over_t < velocity;
  Primitive found = on_left ? left : right;  // the velocities along the contact
  found.density = on_left ? density_left : density_right;
  found.pressure = pressure;
  found.velocity[0] = velocity;
  return found;
}

}  // namespace phasewise::hydro
