// The state at the start.
#pragma once

#include "ocean/domain.hpp"
#include "ocean/fields.hpp"

namespace phasewise::ocean {

inline constexpr double resting_temperature = 10.0;  // °C
inline constexpr double resting_salinity = 35.0;     // psu

// Temperature and salinity at a depth [m]; `sunny` is the square of the latitude's cosine.
struct Water {
  double temperature, salinity;
};
Water stratified_water(double depth, double sunny);

// Fills the cells of this rank. With a file, water rests until its rows are handed over.
void fill_initial(const Domain& domain, const InitialSetting& setting, Fields& fields);

}  // namespace phasewise::ocean
