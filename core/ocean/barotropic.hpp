// The surface: the implicit equation for its height, and what its change does to the flow.
//
// With u* the flow before the change of the surface, H the depth of corners and θ the implicitness,
//   u(n+1) = u* - g θ Δt ∇(η(n+1) - η(n)),
//   η(n+1) - η(n) = -Δt ∇·H (θ u(n+1) + (1-θ) u(n)),
// which is A η(n+1) = A η(n) - ∇·H(θ u* + (1-θ) u(n))/(g θ² Δt) with A = area/(g θ² Δt²) + D'HD and
// D the gradient from cells to corners (Dukowicz, Smith, J. Geophys. Res. 99 (1994) 7991).
#pragma once

#include "ocean/domain.hpp"
#include "ocean/fields.hpp"
#include "ocean/solver/coefficients.hpp"

namespace phasewise::ocean {

class Barotropic {
 public:
  // Domain and terms must outlive it.
  Barotropic(const Domain& domain, const Terms& terms);

  // The planes of A, whose own cells are filled.
  Coefficients fill_operator();

  // Steps of a timestep, each on a row. First the depth-integrated flow, from column and row -1 on.
  void integrate(Kernel kernel, Fields& fields, const RowPlace& row) const;
  // The right-hand side of a row of cells.
  void right_side(Fields& fields, const RowPlace& row, double* right) const;
  // The changes of u and v by the new height of the surface, whose ghosts are needed.
  void push(Fields& fields, const RowPlace& row, const double* solution) const;
  // The new height, from the divergence of what flows: the volume is kept whatever the residual is.
  void raise(Fields& fields, const RowPlace& row) const;
  // Turns the next flow at all corners, with ghosts, into that of the new timestep, and the flow
  // into that which carries tracers.
  void correct(Kernel kernel, Fields& fields, const RowPlace& row) const;

  // The surface from which the solver starts, on the whole plane.
  void guess(const Fields& fields, double weight, double* solution) const;

 private:
  template <Kernel kernel>
  void integrate_row(Fields& fields, const RowPlace& row) const;
  template <Kernel kernel>
  void correct_row(Fields& fields, const RowPlace& row) const;

  const Domain& domain_;
  const Terms& terms_;
  double per_height_;  // 1/(g θ² Δt²)
  parallel::Buffer<double> planes_;
};

}  // namespace phasewise::ocean
