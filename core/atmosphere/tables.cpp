#include "atmosphere/tables.hpp"

namespace phasewise::atmosphere {

Tables::Tables(const PhysicsSetting& setting)
    : vertical(setting.levels),
      surface(vertical, setting.timestep),
      warming(setting.timestep / (heat_capacity_air * vertical.mass)) {
  for (const LongWaveBand& band : long_wave_bands(setting.long_wave_bands))
    long_wave.push_back(of_layer(band, vertical.mass));
  for (const ShortWaveBand& band : short_wave_bands(setting.short_wave_bands))
    short_wave.push_back(of_layer(band, vertical.mass));
}

}  // namespace phasewise::atmosphere
