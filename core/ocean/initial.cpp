#include "ocean/initial.hpp"

#include "numerics/elementary.hpp"

namespace phasewise::ocean {
namespace {

// Warm and salty water on top of the deep one.
constexpr double deep_temperature = 2.0, warmth = 22.0, warm_depth = 800.0;   // °C, K, m
constexpr double deep_salinity = 34.7, saltiness = 0.8, salty_depth = 500.0;  // psu, psu, m

double sunny_at(const Grid& grid, int y) {
  if (grid.setting().geometry == Geometry::plane) return 1.0;
  double sine, cosine;
  numerics::sincos_turns(grid.row(y).latitude / 360.0, sine, cosine);
  return cosine * cosine;
}

double wave_at(const Grid& grid, const InitialSetting& setting, int x, int y) {
  double sine, cosine;
  numerics::sincos_turns(setting.wave_numbers[0] * (x + 0.5) / grid.nx() +
                             setting.wave_numbers[1] * (y + 0.5) / grid.ny(),
                         sine, cosine);
  return setting.wave_height * cosine;
}

}  // namespace

Water stratified_water(double depth, double sunny) {
  return {deep_temperature + warmth * sunny * numerics::exp_real(-depth / warm_depth),
          deep_salinity + saltiness * sunny * numerics::exp_real(-depth / salty_depth)};
}

void fill_initial(const Domain& domain, const InitialSetting& setting, Fields& fields) {
  const Grid& grid = domain.grid();
  for (const RowPlace& row : domain.rows()) {
    const int x = domain.planes().parts()[row.part].x;
    const double sunny = sunny_at(grid, row.y);
    for (int i = 0; i < row.nx; ++i) {
      const std::int64_t at = row.at + i;
      const double levels = domain.cell_levels()[at];
      if (levels > 0.0 && setting.initial == Initial::wave)
        fields.surface()[at] = wave_at(grid, setting, x + i, row.y);
      if (!domain.baroclinic()) continue;
      for (int k = 0; k < levels; ++k) {
        const double depth = grid.depth(k) + 0.5 * grid.thickness(k);
        const Water water = setting.initial == Initial::stratified
                                ? stratified_water(depth, sunny)
                                : Water{resting_temperature, resting_salinity};
        fields.tracers()[k * domain.plane() + at] = water.temperature;
        fields.tracers()[domain.field() + k * domain.plane() + at] = water.salinity;
      }
    }
  }
  std::copy_n(fields.surface(), domain.plane(), fields.surface_before());
}

}  // namespace phasewise::ocean
