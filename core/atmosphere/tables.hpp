// What the kernels of all columns share.
#pragma once

#include <vector>

#include "atmosphere/long_wave.hpp"
#include "atmosphere/physics.hpp"
#include "atmosphere/short_wave.hpp"
#include "atmosphere/surface.hpp"
#include "atmosphere/vertical.hpp"

namespace phasewise::atmosphere {

struct Tables {
  explicit Tables(const PhysicsSetting& setting);

  Vertical vertical;
  SurfaceTerms surface;
  std::vector<LongWaveBand> long_wave;  // of a layer
  std::vector<ShortWaveTerms> short_wave;
  double warming;  // of a layer by a flux that it keeps for a timestep [K m²/W]
};

}  // namespace phasewise::atmosphere
