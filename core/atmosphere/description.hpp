// The study: columns of an atmosphere on a sphere, or columns whose costs are given, as the flat
// parameters describe them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "atmosphere/manner.hpp"
#include "workload/parameters.hpp"

namespace phasewise::atmosphere {

// Column number longitude + longitudes · latitude; latitude 0 is the southernmost.
struct GridSetting {
  int latitudes = 0, longitudes = 0;
  std::int64_t columns() const { return std::int64_t{latitudes} * longitudes; }
};

// Where the sun is.
struct SunSetting {
  int day = 172;             // of the year, in which the first timestep begins
  double hour = 12.0;        // of that day at longitude 0
  double obliquity = 23.44;  // deg, the declination at noon of day 172
};

// What the physics of a column depends on.
struct PhysicsKeys {
  int levels = 26;
  int long_wave_bands = 1, short_wave_bands = 1;
  bool adjustment = true;
  int most_sweeps = 0;          // of an adjustment before it counts as endless
  double solar_constant = 0.0;  // W/m²
  double albedo = 0.0;          // of the surface
};

// Seconds of each column, [time][column]; the times come one after the other, over and over.
struct CostTable {
  int times = 0;
  std::vector<double> seconds;
  std::array<std::int64_t, 2> bytes{};  // of a column that goes out, and of one that comes back
};

struct Description {
  // Throws std::invalid_argument with one sentence if the parameters cannot be used.
  explicit Description(const workload::Parameters& parameters);

  GridSetting grid;
  SunSetting sun;
  PhysicsKeys physics;
  double timestep = 0.0;  // s
  std::uint64_t seed = 0;
  std::int64_t timesteps = 0;
  std::shared_ptr<const CostTable> costs;  // null: the physics is computed
  // Flops a second of the simulated processor; 0: there is none, or its kernels take no time.
  double simulated_flops = 0.0;
  Manner manner;
};

}  // namespace phasewise::atmosphere
