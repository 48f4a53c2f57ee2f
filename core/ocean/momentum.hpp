// The explicit terms of momentum on the B-grid, and the implicit friction between levels.
//
// Advection, third-order upwind or centred, and horizontal viscosity by Adams and Bashforth's
// second order; the pressure of the water from a linear equation of state; the wind; and Coriolis'
// force, half of it implicit, on what precedes the correction by the surface (Dukowicz, Smith, J.
// Geophys. Res. 99 (1994) 7991).
#pragma once

#include "ocean/domain.hpp"
#include "ocean/fields.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::ocean {

// ρ = ρ0 (1 - α T + β S) up to a constant.
inline constexpr double thermal_expansion = 2.0e-4;   // α, 1/K
inline constexpr double haline_contraction = 7.6e-4;  // β, 1/psu

// Rows of a thread.
struct Scratch {
  Scratch(const Domain& domain, int fields)
      : pitch(domain.pitch()),
        size(domain.levels() * domain.pitch()),
        values(zeros(fields * size)) {}
  // Value (level, 0) of an array, with ghosts.
  double* row(int array) { return values.data() + array * size + ghosts; }
  std::int64_t pitch, size;
  parallel::Buffer<double> values;
};

class Momentum {
 public:
  // Domain and terms must outlive it.
  Momentum(const Domain& domain, const Terms& terms) : domain_(domain), terms_(terms) {}

  static constexpr int scratch_fields = 3;

  // Writes the next flow at the corners of a row, as it is without the change of the surface.
  // `weight` is that of the tendencies' change, ½, or 0 in the first timestep.
  void predict(Kernel kernel, Fields& fields, const RowPlace& row, double weight,
               Scratch& scratch) const;
  // Mixes it between levels, with drag at the bottom.
  void mix(Kernel kernel, Fields& fields, const RowPlace& row, Scratch& scratch) const;

 private:
  template <Kernel kernel>
  void find_rise(const double* flow, const RowPlace& row, double* rise) const;
  template <Kernel kernel>
  void predict_row(Fields& fields, const RowPlace& row, double weight, Scratch& scratch) const;
  template <Kernel kernel>
  void mix_row(Fields& fields, const RowPlace& row, Scratch& scratch) const;
  double wind_at(int y) const;

  const Domain& domain_;
  const Terms& terms_;
};

}  // namespace phasewise::ocean
