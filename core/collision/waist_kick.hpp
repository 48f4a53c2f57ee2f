// The kick that one particle gets from a Gaussian slice with a crab waist: that of the potential of
// a Gaussian whose height is the slice's where the particle is, U(x, y, s + k x). Its derivatives
// make the map symplectic.
#pragma once

#include <cstdint>

#include "beam/coordinates.hpp"
#include "collision/gaussian_slice.hpp"
#include "collision/passage.hpp"
#include "field/rolled_gaussian.hpp"
#include "parallel/macros.hpp"

namespace phasewise::collision {

class WaistKickOfSlice {
 public:
  // kick_scale is as in CollidingBeam.
  WaistKickOfSlice(const GaussianSlice& opposing, double kick_scale, bool longitudinal)
      : opposing_(opposing),
        least_xx_(smallest_share * opposing.xx[0]),
        least_yy_(smallest_share * opposing.own_yy[0]),
        half_xy_(0.5 * (opposing.xy[1] + opposing.xy[2])),
        scale_(kick_scale * opposing.count),
        longitudinal_(longitudinal) {}

  // The field of a slice without extent cannot be computed.
  bool acts() const {
    return opposing_.count != 0.0 && opposing_.xx[0] > 0.0 && opposing_.own_yy[0] > 0.0;
  }

  PHASEWISE_HD void act(const beam::ParticleView& p, std::int64_t i) const {
    const GaussianSlice& o = opposing_;
    const double s = meeting_distance(p.z[i], o.z);
    const double x = p.x[i] + s * p.px[i];
    const field::PrincipalAxes axes =
        field::principal_axes({o.sxx_at(-s), o.sxy_at(-s), o.syy_at(-s, x)}, least_xx_, least_yy_);
    const field::GaussianField f =
        field::rolled_gaussian_field(x - o.x_at(-s), p.y[i] + s * p.py[i] - o.y_at(-s), axes);
    // ∂U/∂Σyy times half of dΣyy/ds.
    const double by_height = f.potential_syy * (o.own_yy[1] + o.from_waist(-s, x) * o.own_yy[2]);
    // dU/dz at a fixed transverse place, as in GaussianKick.
    const double slope = -0.5 * (o.mean[1] * f.ex + o.mean[3] * f.ey) +
                         f.potential_sxx * (s * o.xx[2] - o.xx[1]) - by_height +
                         f.potential_sxy * (s * o.xy[3] - half_xy_);
    const double ex = f.ex - 2.0 * o.waist.slope * by_height;
    kick_and_return(s, scale_ * ex, scale_ * f.ey, longitudinal_ ? -scale_ * slope : 0.0,
                    longitudinal_ ? 0.25 : 0.0, p.x[i], p.px[i], p.y[i], p.py[i], p.delta[i]);
  }

 private:
  static constexpr double smallest_share = 1e-12;  // as in GaussianKick

  GaussianSlice opposing_;
  double least_xx_, least_yy_, half_xy_, scale_;
  bool longitudinal_;
};

}  // namespace phasewise::collision
