// The study: an ocean on a grid, as the flat parameters describe it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ocean/manner.hpp"
#include "ocean/solver/setting.hpp"
#include "workload/parameters.hpp"

namespace phasewise::ocean {

enum class Geometry : std::uint8_t { sphere, plane };
enum class Periodic : std::uint8_t { x, xy, none };
enum class MaskSource : std::uint8_t { continents, none, file };
enum class Advection : std::uint8_t { upwind, centred };
enum class WindProfile : std::uint8_t { gyre, trades, none };
enum class Initial : std::uint8_t { stratified, rest, wave, file };

// Cells, and where they lie.
struct GridSetting {
  int nx = 0, ny = 0, nz = 0;
  Geometry geometry = Geometry::sphere;
  std::array<double, 2> latitudes{-76.0, 76.0};  // deg, of the walls in the south and north: sphere
  std::array<double, 2> extent{};                // m, along x and y: plane
  double coriolis = 0.0;                         // 1/s, in the middle of a plane
  double beta = 0.0;                             // 1/(m s), of a plane
  Periodic periodic = Periodic::x;
  std::vector<double> thickness;  // m, of the levels from the surface down
};

struct MaskSetting {
  MaskSource mask = MaskSource::continents;
  std::uint64_t seed = 0;
  double sea = 0.68;  // wanted share of the cells with `continents`
  // With `file`: the number of sea levels of a cell and how many cells have it, in pairs, from the
  // south-west corner eastwards, row after row.
  std::vector<double> runs;
};

// Terms of the equations.
struct Terms {
  double timestep = 0.0;      // s
  double implicitness = 0.6;  // of the free surface, 1/2 to 1
  Advection advection = Advection::upwind;
  double viscosity = 0.0, diffusivity = 0.0;                    // m²/s, horizontal
  double vertical_viscosity = 0.0, vertical_diffusivity = 0.0;  // m²/s
  double drag = 0.0;                                            // m/s, at the bottom
  double wind = 0.0;                                            // N/m², amplitude
  WindProfile wind_profile = WindProfile::none;
};

struct InitialSetting {
  Initial initial = Initial::stratified;
  std::array<int, 2> wave_numbers{};  // whole wavelengths along x and y
  double wave_height = 0.0;           // m
};

struct Description {
  // Throws std::invalid_argument with one sentence if the parameters cannot be used.
  explicit Description(const workload::Parameters& parameters);

  GridSetting grid;
  MaskSetting mask;
  Terms terms;
  InitialSetting initial;
  bool baroclinic = true;  // false: the surface and the depth-integrated flow alone
  SolverSetting solver;
  double expected_iterations = 0.0;  // of a solve in a plan
  std::int64_t timesteps = 0;
  Manner manner;

  // With what the manner says of it.
  SolverSetting solver_setting(const Manner& of_ranks) const;
};

}  // namespace phasewise::ocean
