// The Dirac operator of Wilson quarks with clover term, anisotropy and twisted mass:
//   D = A - H/2,  A = m + iµγ₅ + clover term,  H the hopping matrix.
#pragma once

#include <array>
#include <cmath>

#include "qcd/dirac/site_blocks.hpp"

namespace phasewise::qcd {

struct QuarkAction {
  double mass = 0.0;  // m₀
  double anisotropy = 1.0, velocity = 1.0;
  double clover_spatial = 0.0, clover_temporal = 0.0;
  double twisted_mass = 0.0;

  double diagonal() const { return mass + 1.0 + 3.0 * velocity / anisotropy; }
  std::array<double, axes> weights() const {
    const double space = velocity / anisotropy;
    return {space, space, space, 1.0};
  }
  bool clover() const { return clover_spatial != 0.0 || clover_temporal != 0.0; }
  // Whether A is the same number on each site.
  bool number() const { return !clover() && twisted_mass == 0.0; }
  std::array<double, planes> plane_weights() const {
    const double space = clover_spatial / anisotropy, time = clover_temporal;
    return {space, space, time, space, time, time};
  }

  // Bounds of |H| and |A|; without a clover term also of |A⁻¹|.
  double largest_hop() const { return 6.0 * std::fabs(velocity / anisotropy) + 2.0; }
  double largest_local() const {
    double sum = std::hypot(diagonal(), twisted_mass);
    for (const double weight : plane_weights()) sum += 0.5 * std::fabs(weight);
    return sum;
  }
  double largest_inverse() const { return 1.0 / std::hypot(diagonal(), twisted_mass); }
};

}  // namespace phasewise::qcd
