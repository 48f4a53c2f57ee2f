// Temperature and salinity in flux form: their contents, and the volume, are kept to rounding, and
// a constant one stays constant, since the same flow moves the surface.
//
// Advection, third-order upwind or centred, and horizontal mixing act on tracers that are
// extrapolated to the middle of the timestep (Adams, Bashforth); vertical mixing is implicit. Where
// land lies beside a cell, a difference towards it is 0.
#pragma once

#include "ocean/domain.hpp"
#include "ocean/fields.hpp"
#include "ocean/momentum.hpp"

namespace phasewise::ocean {

class Tracers {
 public:
  // Domain and terms must outlive it.
  Tracers(const Domain& domain, const Terms& terms) : domain_(domain), terms_(terms) {}

  static constexpr int scratch_fields = 5;

  // Turns the tracers before into those in the middle of the timestep, on a row with ghosts:
  // `weight` is ½, or 0 in the first timestep.
  void extrapolate(Kernel kernel, Fields& fields, const RowPlace& row, double weight) const;
  // Writes the next tracers of a row's cells as they are without vertical mixing.
  void carry(Kernel kernel, Fields& fields, const RowPlace& row, Scratch& scratch) const;
  // Mixes them between levels.
  void mix(Kernel kernel, Fields& fields, const RowPlace& row, Scratch& scratch) const;

 private:
  template <Kernel kernel>
  void extrapolate_row(Fields& fields, const RowPlace& row, double weight) const;
  template <Kernel kernel>
  void find_rise(const double* flow, const RowPlace& row, double* rise) const;
  template <Kernel kernel>
  void carry_row(Fields& fields, const RowPlace& row, Scratch& scratch) const;
  template <Kernel kernel>
  void mix_row(Fields& fields, const RowPlace& row, Scratch& scratch) const;

  const Domain& domain_;
  const Terms& terms_;
};

}  // namespace phasewise::ocean
