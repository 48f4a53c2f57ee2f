// The levels of a column: layers of equal mass, of which 0 is the top one.
#pragma once

#include <vector>

namespace phasewise::atmosphere {

struct Vertical {
  explicit Vertical(int levels);

  int levels;
  double mass;  // of a layer [kg/m²]
  // At the middle of each layer, whose pressure over that of the surface is σ.
  std::vector<double> sigma, sigma_kappa, log_sigma, inverse_pressure;
  // Between a layer and that above it: the ratio of their temperatures where the air is mixed, and
  // the difference of the logarithms of their pressures; 0 at the top.
  std::vector<double> dry_ratio, log_step;
};

}  // namespace phasewise::atmosphere
