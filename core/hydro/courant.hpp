// What is found of all zones between timesteps: the fastest crossing of a zone, and sums for the
// record.
#pragma once

#include <vector>

#include "hydro/gas.hpp"
#include "hydro/grid.hpp"

namespace phasewise::hydro {

// Zones first, first + 1, … along axis 1. values[field][n] belongs to zone first.at[0] + n.
struct Row {
  const double* values[field::count] = {};
  Zone first;
  int zones = 0;
};

class RowKernels {
 public:
  RowKernels(const Gas& gas, const Grid& grid);

  // The largest max(c, |u|)/Δx of a row's zones over all axes [1/time]. The timestep is the Courant
  // number divided by the largest of all rows. NaN if a zone's is.
  double inverse_timestep(const Row& row) const;
  // The zone of the row that has it.
  Zone fastest_zone(const Row& row) const;

  // Integrals over each zone: mass, three momenta along the local axes, kinetic and internal energy
  // together: sums[quantity][n]. Returns the largest Mach number.
  static constexpr int mass = 0, momentum = 1, energy = 4, quantities = 5;
  double integrals(const Row& row, double* const sums[quantities]) const;

 private:
  // What the zones of a row have in common.
  struct Scales {
    double inverse_length[3] = {};  // of a zone, of angles at r = 1
    bool by_radius[3] = {};
    double share = 1.0;  // of the volume, of axes 2 and 3
  };
  Scales scales_of(const Row& row) const;
  // Of zone n, or of zone n and those after it that fill a vector.
  template <class V>
  V rate(const Row& row, int n, const Scales& scales) const;
  // Returns the square of the Mach number.
  template <class V>
  V integrate(const Row& row, int n, double share, double* const sums[quantities]) const;

  Gas gas_;
  Grid grid_;
  std::vector<double> inverse_radius_, share_;  // of zones along axis 1
};

}  // namespace phasewise::hydro
