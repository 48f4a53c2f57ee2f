// The kick that particles get from a Gaussian slice: of one particle, or of a block of them in
// steps, each a loop that runs on vectors. A particle's kick has the same bits either way.
//
// A slice with a crab waist kicks by the potential of a Gaussian whose height is the slice's where
// the particle is, U(x, y, s + k x). Its derivatives make the map symplectic.
#pragma once

#include <cstdint>

#include "beam/coordinates.hpp"
#include "collision/gaussian_slice.hpp"
#include "collision/passage.hpp"
#include "field/lane_gaussian.hpp"
#include "parallel/kernel.hpp"
#include "parallel/loops.hpp"
#include "parallel/macros.hpp"

namespace phasewise::collision {

// The kicks of a block of particles, before they are applied.
struct KickBlock {
  using Column = double[parallel::block_size];
  Column s;       // m, along the particle's own beam to where it meets the slice
  Column kx, ky;  // of px and py
  Column energy;  // of delta, without the part by the drifts to the kick and back
};

class GaussianKick {
 public:
  // Where a particle meets the slice: (x, y) from the slice's centre along its principal axes, and
  // the distance [m] from the slice's waist in y, which counts as that from the reference plane.
  struct Place {
    double s, from_waist, x, y;
    field::OrderedAxes axes;
  };
  struct Kick {
    double kx, ky, energy;
  };

  // kick_scale is as in CollidingBeam.
  GaussianKick(const GaussianSlice& opposing, double kick_scale, bool longitudinal)
      : waisted_(opposing.waist.slope != 0.0),
        opposing_(without_effect_of_waist(opposing)),
        least_xx_(smallest_share * opposing_.xx[0]),
        least_yy_(smallest_share * opposing_.yy[0]),
        half_xy_(0.5 * (opposing.xy[1] + opposing.xy[2])),
        scale_(kick_scale * opposing.count),
        energy_scale_(longitudinal ? -scale_ : 0.0),
        coupling_(longitudinal ? 0.25 : 0.0),
        rolled_(opposing.xy[0] != 0.0 || half_xy_ != 0.0 || opposing.xy[3] != 0.0) {}

  // The field of a slice without extent cannot be computed.
  bool acts() const {
    return opposing_.count != 0.0 && opposing_.xx[0] > 0.0 && opposing_.yy[0] > 0.0;
  }

  PHASEWISE_HD void act(const beam::ParticleView& p, std::int64_t i) const {
    if (waisted_)
      act_on_one<true>(p, i);
    else
      act_on_one<false>(p, i);
  }

  // Kicks a block of at most parallel::block_size particles; `kicks` receives what they got.
  void act_on_block(const beam::ParticleView& block, KickBlock& kicks) const;

 private:
  struct FieldBlock;
  template <bool waisted>
  void find(const beam::ParticleView& block, KickBlock& kicks) const;
  void apply(const beam::ParticleView& block, const KickBlock& kicks) const;
  template <bool rolled, bool waisted>
  void find_places(const beam::ParticleView& block, FieldBlock& work, KickBlock& kicks) const;

  template <bool waisted>
  PHASEWISE_HD void act_on_one(const beam::ParticleView& p, std::int64_t i) const {
    const Place at = rolled_ ? place<true, waisted>(p, i) : place<false, waisted>(p, i);
    const field::GaussianField f =
        field::lane_field(at.x, at.y, at.axes.variance_1, at.axes.variance_2);
    const Kick kick = from_field<waisted>(f, at.s, at.from_waist, at.axes.cosine, at.axes.sine);
    apply(p, i, at.s, kick.kx, kick.ky, kick.energy);
  }

  template <bool rolled, bool waisted>
  PHASEWISE_HD Place place(const beam::ParticleView& p, std::int64_t i) const {
    const GaussianSlice& o = opposing_;
    const double s = meeting_distance(p.z[i], o.z), at_x = p.x[i] + s * p.px[i];
    const double from_waist = waisted ? o.from_waist(-s, at_x) : -s;
    const double x = at_x - o.x_at(-s), y = p.y[i] + s * p.py[i] - o.y_at(-s);
    const double xx = o.sxx_at(-s), yy = o.syy_at(from_waist);
    if constexpr (rolled) {
      const field::OrderedAxes axes =
          field::rolled_axes({xx, o.sxy_at(-s), yy}, least_xx_, least_yy_);
      return {s, from_waist, axes.cosine * x + axes.sine * y, axes.cosine * y - axes.sine * x,
              axes};
    }
    const field::OrderedAxes axes =
        field::upright_axes(xx > least_xx_ ? xx : least_xx_, yy > least_yy_ ? yy : least_yy_);
    const bool tall = axes.sine != 0.0;
    return {s, from_waist, tall ? y : x, tall ? -x : y, axes};
  }

  template <bool waisted>
  PHASEWISE_HD Kick from_field(const field::GaussianField& in_axes, double s, double from_waist,
                               double cosine, double sine) const {
    const GaussianSlice& o = opposing_;
    const field::GaussianField f = field::turned_back(in_axes, cosine, sine);
    // -∂U/∂Σyy times half of dΣyy/ds.
    const double by_height = f.potential_syy * (-from_waist * o.yy[2] - o.yy[1]);
    // dU/dz at a fixed transverse place: the opposing slice's centre and covariance move by ds =
    // dz/2.
    const double slope = -0.5 * (o.mean[1] * f.ex + o.mean[3] * f.ey) +
                         f.potential_sxx * (s * o.xx[2] - o.xx[1]) + by_height +
                         f.potential_sxy * (s * o.xy[3] - half_xy_);
    const double ex = waisted ? f.ex + 2.0 * o.waist.slope * by_height : f.ex;
    return {scale_ * ex, scale_ * f.ey, energy_scale_ * slope};
  }

  PHASEWISE_HD void apply(const beam::ParticleView& p, std::int64_t i, double s, double kx,
                          double ky, double energy) const {
    kick_and_return(s, kx, ky, energy, coupling_, p.x[i], p.px[i], p.y[i], p.py[i], p.delta[i]);
  }

  // The lower bound of a squared size at a waist, relative to that at the reference plane; rounding
  // might make it negative.
  static constexpr double smallest_share = 1e-12;

  bool waisted_;
  GaussianSlice opposing_;  // without the effect of a crab waist in its yy
  double least_xx_, least_yy_, half_xy_, scale_, energy_scale_, coupling_;
  bool rolled_;  // the slice is coupled at some distance
};

// One item is a particle.
parallel::KernelCard gaussian_encounter_card();

}  // namespace phasewise::collision
