// The steps of one encounter for one particle, as functions of values that CPU blocks and GPU
// threads share.
#pragma once

#include "parallel/macros.hpp"

namespace phasewise::collision {

// The path [m] of a particle at z along its own beam, from the reference plane to the opposing
// plane at z_other.
PHASEWISE_HD double meeting_distance(double z, double z_other) { return 0.5 * (z - z_other); }

// Beyond this fraction of a slice, counted from its planes, the field is no longer extrapolated
// along z.
inline constexpr double furthest_fraction = 1.0;

// The position between the tail plane (0) and the head plane (1), and its derivative by z, which is
// 0 where the position is clamped.
struct Between {
  double fraction;
  double slope;
};

PHASEWISE_HD Between between_planes(double z, double z_tail, double inverse_length) {
  const double t = (z - z_tail) * inverse_length;
  const double low = -furthest_fraction, high = 1.0 + furthest_fraction;
  const bool within = (t >= low) & (t <= high);
  const double held = t < low ? low : (t > high ? high : t);
  return {held, within ? inverse_length : 0.0};
}

// Kicks a particle by (kx, ky) at distance s and returns it to the reference plane. `energy` is
// -dU/dz of the kick's potential; with `coupling` 1/4 delta also changes with the drifts to the
// kick and back, whose length depends on z.
PHASEWISE_HD void kick_and_return(double s, double kx, double ky, double energy, double coupling,
                                  double& x, double& px, double& y, double& py, double& delta) {
  const double new_px = px + kx, new_py = py + ky;
  x -= s * kx;
  y -= s * ky;
  delta += energy + coupling * (kx * (new_px + px) + ky * (new_py + py));
  px = new_px;
  py = new_py;
}

}  // namespace phasewise::collision
