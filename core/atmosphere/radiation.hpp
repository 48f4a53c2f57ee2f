// Radiation and adjustment of arrays of columns, each with its levels in a row from the top down.
#pragma once

#include <cstdint>
#include <span>

#include "atmosphere/bands.hpp"

namespace phasewise::atmosphere {

struct Columns {
  int levels;
  std::int64_t count;
};

// How they are computed; the bits are the same.
struct ColumnsManner {
  bool fast = true;
  int threads = 1;
};

// Vapour or cloud may be null: then there is none.
struct LongWaveArrays {
  const double *temperature, *vapour, *cloud;  // of levels
  const double* surface_temperature;           // of columns
  double *up, *down;                           // of interfaces, one more than levels [W/m²]
  double* heating;                             // of levels [K/s]
};
void long_wave(const Columns& columns, std::span<const LongWaveBand> bands,
               const LongWaveArrays& arrays, const ColumnsManner& manner);

struct ShortWaveArrays {
  const double *vapour, *cloud;  // of levels
  const double* cosine;          // of columns; columns where it is not positive are dark
  double *up, *down, *heating;
};
void short_wave(const Columns& columns, std::span<const ShortWaveBand> bands, double albedo,
                double solar_constant, const ShortWaveArrays& arrays, const ColumnsManner& manner);

// In place. `sweeps` has those of each column; one more than the most where it is still unstable.
struct AdjustedArrays {
  double *temperature, *vapour, *cloud;
  double* sweeps;
};
void adjust(const Columns& columns, int most_sweeps, const AdjustedArrays& arrays,
            const ColumnsManner& manner);

}  // namespace phasewise::atmosphere
