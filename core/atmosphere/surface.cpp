#include "atmosphere/surface.hpp"

#include <algorithm>
#include <cmath>

namespace phasewise::atmosphere {

SurfaceTerms::SurfaceTerms(const Vertical& vertical, double step)
    : timestep(step),
      rained(-std::expm1(-step / rain_time)),
      restored(-std::expm1(-step / restoring_time)),
      moistened(-std::expm1(-step / humidity_restoring_time)),
      exchanged(-std::expm1(-exchange_density * step / vertical.mass)) {
  for (const double sigma : vertical.sigma)
    humidity.push_back(0.77 * std::max(sigma - 0.02, 0.02) / 0.98);
}

}  // namespace phasewise::atmosphere
