#include "collision/radiation/expected_scattering.hpp"

#include <algorithm>

#include "numerics/elementary.hpp"

namespace phasewise::collision {
namespace {

constexpr double smallest_log = -25.0, largest_log = 0.0, log_step = 0.25;  // of the size, m

}  // namespace

ExpectedScattering::ExpectedScattering(const RadiativeBhabha& physics, double least,
                                       double losing) {
  for (double l = smallest_log; l <= largest_log; l += log_step) {
    const double size = numerics::exp_real(l);
    value_.push_back({physics.cross_section(least, size),
                      losing > 0.0 ? physics.cross_section(losing, size) : 0.0});
  }
}

ExpectedScattering::CrossSections ExpectedScattering::at(double size) const {
  if (!(size > 0.0)) return {0.0, 0.0};
  const double place = (numerics::log_positive(size) - smallest_log) / log_step;
  const double held = std::clamp(place, 0.0, static_cast<double>(value_.size() - 1) - 1e-9);
  const auto i = static_cast<std::size_t>(held);
  const double part = held - static_cast<double>(i);
  const CrossSections &a = value_[i], &b = value_[i + 1];
  return {a.events + part * (b.events - a.events), a.losses + part * (b.losses - a.losses)};
}

}  // namespace phasewise::collision
