// Where the sun stands over each column at a timestep.
#pragma once

#include <cstdint>
#include <vector>

#include "atmosphere/geometry.hpp"

namespace phasewise::atmosphere {

// Over which point the sun stands [rad].
struct Sun {
  double declination, longitude;
};

// As the timestep of this number begins. The sun is over (12 - hour)·15°, and its declination is
//   δ = obliquity · cos(2π (d - 172)/365),
// where d is the day of the year and goes on through each day, being 172 at noon of day 172.
Sun sun_at(const SunSetting& setting, double timestep, std::int64_t number);

// The cosine of the sun's zenith angle for all columns; above 0 where the sun is up:
//   sin φ sin δ + cos φ cos δ cos(λ - λ_sun).
// Where the longitudes are even, that of a column's twin is exactly the opposite.
std::vector<double> zenith_cosines(const Geometry& geometry, const Sun& sun);

}  // namespace phasewise::atmosphere
