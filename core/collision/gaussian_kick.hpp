// The kick that particles get from a Gaussian slice: of one particle, or of a block of them in
// steps, each a loop that runs on vectors. A particle's kick has the same bits either way.
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
  // Where a particle meets the slice: (x, y) from the slice's centre along its principal axes.
  struct Place {
    double s, x, y;
    field::OrderedAxes axes;
  };
  struct Kick {
    double kx, ky, energy;
  };

  // kick_scale is as in CollidingBeam.
  GaussianKick(const GaussianSlice& opposing, double kick_scale, bool longitudinal)
      : opposing_(opposing),
        least_xx_(smallest_share * opposing.xx[0]),
        least_yy_(smallest_share * opposing.yy[0]),
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
    const Place at = rolled_ ? place<true>(p, i) : place<false>(p, i);
    const field::GaussianField f =
        field::lane_field(at.x, at.y, at.axes.variance_1, at.axes.variance_2);
    const Kick kick = from_field(f, at.s, at.axes.cosine, at.axes.sine);
    apply(p, i, at.s, kick.kx, kick.ky, kick.energy);
  }

  // The kicks of a block; the particles stay as they are.
  void find(const beam::ParticleView& block, KickBlock& kicks) const;
  void apply(const beam::ParticleView& block, const KickBlock& kicks) const;

 private:
  struct FieldBlock;
  template <bool rolled>
  void find_places(const beam::ParticleView& block, FieldBlock& work, KickBlock& kicks) const;

  template <bool rolled>
  PHASEWISE_HD Place place(const beam::ParticleView& p, std::int64_t i) const {
    const GaussianSlice& o = opposing_;
    const double s = meeting_distance(p.z[i], o.z);
    const double x = p.x[i] + s * p.px[i] - o.x_at(-s), y = p.y[i] + s * p.py[i] - o.y_at(-s);
    if constexpr (rolled) {
      const field::OrderedAxes axes =
          field::rolled_axes({o.sxx_at(-s), o.sxy_at(-s), o.syy_at(-s)}, least_xx_, least_yy_);
      return {s, axes.cosine * x + axes.sine * y, axes.cosine * y - axes.sine * x, axes};
    }
    const double xx = o.sxx_at(-s), yy = o.syy_at(-s);
    const field::OrderedAxes axes =
        field::upright_axes(xx > least_xx_ ? xx : least_xx_, yy > least_yy_ ? yy : least_yy_);
    const bool tall = axes.sine != 0.0;
    return {s, tall ? y : x, tall ? -x : y, axes};
  }

  PHASEWISE_HD Kick from_field(const field::GaussianField& in_axes, double s, double cosine,
                               double sine) const {
    const GaussianSlice& o = opposing_;
    const field::GaussianField f = field::turned_back(in_axes, cosine, sine);
    // dU/dz at a fixed transverse place: the opposing slice's centre and covariance move by ds =
    // dz/2.
    const double slope =
        -0.5 * (o.mean[1] * f.ex + o.mean[3] * f.ey) + f.potential_sxx * (s * o.xx[2] - o.xx[1]) +
        f.potential_syy * (s * o.yy[2] - o.yy[1]) + f.potential_sxy * (s * o.xy[3] - half_xy_);
    return {scale_ * f.ex, scale_ * f.ey, energy_scale_ * slope};
  }

  PHASEWISE_HD void apply(const beam::ParticleView& p, std::int64_t i, double s, double kx,
                          double ky, double energy) const {
    kick_and_return(s, kx, ky, energy, coupling_, p.x[i], p.px[i], p.y[i], p.py[i], p.delta[i]);
  }

  // The lower bound of a squared size at a waist, relative to that at the reference plane; rounding
  // might make it negative.
  static constexpr double smallest_share = 1e-12;

  GaussianSlice opposing_;
  double least_xx_, least_yy_, half_xy_, scale_, energy_scale_, coupling_;
  bool rolled_;  // the slice is coupled at some distance
};

// Kicks the particles by a Gaussian slice; kick_scale is as in CollidingBeam.
void gaussian_encounter(const beam::ParticleView& particles, const GaussianSlice& opposing,
                        double kick_scale, bool longitudinal_kick);
// One item is a particle.
parallel::KernelCard gaussian_encounter_card();

}  // namespace phasewise::collision
