#include "atmosphere/vertical.hpp"

#include <cmath>

#include "atmosphere/constants.hpp"

namespace phasewise::atmosphere {

Vertical::Vertical(int number) : levels(number), mass(surface_pressure / gravity / number) {
  for (int level = 0; level < levels; ++level) {
    sigma.push_back((level + 0.5) / levels);
    sigma_kappa.push_back(std::pow(sigma.back(), kappa));
    log_sigma.push_back(std::log(sigma.back()));
    inverse_pressure.push_back(1.0 / (surface_pressure * sigma.back()));
    const bool top = level == 0;
    dry_ratio.push_back(top ? 0.0 : sigma_kappa[level - 1] / sigma_kappa[level]);
    log_step.push_back(top ? 0.0 : log_sigma[level] - log_sigma[level - 1]);
  }
}

}  // namespace phasewise::atmosphere
