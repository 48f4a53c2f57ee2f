#include "spacecharge/frozen.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "field/bassetti_erskine.hpp"
#include "field/gaussian_potential.hpp"
#include "numerics/elementary.hpp"
#include "parallel/loops.hpp"
#include "spacecharge/phases.hpp"

namespace phasewise::spacecharge {
namespace {

struct LineDensity {
  double value, slope;  // 1/m, 1/m²
};

class LineCharge {
 public:
  explicit LineCharge(const FrozenBunch& bunch)
      : z0_(bunch.place.centre[2]),
        inverse_size_(1.0 / bunch.place.size[2]),
        period_(bunch.period.value_or(0.0)),
        coasting_(bunch.coasting),
        peak_(coasting_ ? bunch.charge / period_
                        : bunch.charge * inverse_size_ / std::sqrt(2.0 * std::numbers::pi)) {}

  LineDensity at(double z) const {
    if (coasting_) return {peak_, 0.0};
    double u = z - z0_;
    if (period_ > 0.0) u -= period_ * std::floor(u / period_ + 0.5);
    u *= inverse_size_;
    const double value = peak_ * numerics::exp_real(-0.5 * u * u);
    return {value, -u * inverse_size_ * value};
  }

 private:
  double z0_, inverse_size_, period_;
  bool coasting_;
  double peak_;
};

}  // namespace

FrozenBunch frozen_bunch(const beam::Moments& moments) {
  FrozenBunch bunch{.charge = moments.particles};
  for (int axis = 0; axis < 3; ++axis) {
    bunch.place.centre[axis] = moments.mean[2 * axis];
    bunch.place.size[axis] = moments.rms(2 * axis);
    if (!(bunch.place.size[axis] > 0.0))
      throw std::runtime_error("the bunch has no finite size along " + std::string(1, "xyz"[axis]) +
                               ": its rms is " + std::to_string(bunch.place.size[axis]) + " m");
  }
  return bunch;
}

void kick(const beam::ParticleView& particles, const FrozenBunch& bunch, const FrozenKick& given,
          int threads) {
  const LineCharge line(bunch);
  const double sigma_x = bunch.place.size[0], sigma_y = bunch.place.size[1];
  const double factor = 2.0 * given.factor / given.gamma;
  parallel::for_blocks(particles.size, threads, [&](std::int64_t begin, int size, int) {
    const beam::ParticleView p = particles.part(begin, size);
    for (int i = 0; i < size; ++i) {
      const double x = p.x[i] - bunch.place.centre[0], y = p.y[i] - bunch.place.centre[1];
      const LineDensity density = line.at(p.z[i]);
      const field::GaussianField e = field::gaussian_field(x, y, sigma_x, sigma_y);
      p.px[i] += factor * density.value * e.ex;
      p.py[i] += factor * density.value * e.ey;
      if (!given.log_pipe || density.slope == 0.0) continue;
      const double potential = field::gaussian_potential(x, y, sigma_x, sigma_y);
      p.delta[i] -= factor * density.slope * (potential + *given.log_pipe);
    }
  });
}

parallel::KernelCard frozen_card(bool along) {
  return {.name = phases::kick,
          .flops = along ? 1550.0 : 450.0,  // two Faddeeva functions; 24 points of the potential
          .bytes = along ? 64.0 : 56.0,
          .vectorised = false,  // the field of each particle needs inner loops
          .touched = along ? 48.0 : 40.0};
}

}  // namespace phasewise::spacecharge
