// An ideal gas, p = (γ - 1) ρ e, and its state in a zone.
#pragma once

namespace phasewise::hydro {

struct Gas {
  double gamma = 1.4;
  double density_floor = 0.0, pressure_floor = 0.0;
};

// Velocities are components along the local unit vectors of the axes.
struct Primitive {
  double density = 0.0, pressure = 0.0;
  double velocity[3] = {};
};

// Numbers of the six arrays that hold a state: of velocity 2 it is `velocity + 1`.
namespace field {
inline constexpr int density = 0, pressure = 1, velocity = 2, flattening = 5, count = 6;
}

}  // namespace phasewise::hydro
