// The operator that is iterated on: S A S, where S makes its centre 1. Conjugate gradients and
// Chebyshev's iteration on it, without a preconditioner, are those on A with its diagonal as the
// preconditioner, but read neither the diagonal nor a second vector. Both diagonals of a corner,
// which A couples alike on a B-grid, differ in it. Without any preconditioner S is 1 at sea.
#pragma once

#include <optional>

#include "ocean/solver/coefficients.hpp"
#include "ocean/solver/stencil.hpp"

namespace phasewise::ocean {

class System {
 public:
  // The context must outlive it.
  explicit System(const Context& context);

  void make_exchanges();
  exchange::Exchanges exchanges() const {
    exchange::Exchanges all = halo_->exchanges();
    for (const exchange::ExchangePointer& one : halo_with_west_->exchanges()) all.push_back(one);
    return all;
  }

  // Takes the coefficients, with their ghosts from other ranks. Throws std::invalid_argument with
  // one sentence, the same on all ranks, if a centre is negative.
  void set(const Coefficients& coefficients, workload::Listener& listener);

  StencilPlanes stencil() const;
  // Of the operator at a cell: what a kernel computes, and planes that it reads.
  double flops() const { return scaled_ ? 16.0 : 17.0; }
  double planes_read() const;
  // S, which is 0 on land.
  const double* scale_of_cells() const { return scale_.data(); }
  // |r|² of A is the sum of weight r² of the system; null: the weight is 1.
  const double* weight() const { return scaled_ ? planes_.data() : nullptr; }
  double largest_weight() const { return scaled_ ? largest_ : 1.0; }
  // A bound of the eigenvalues of the system: a cell, or a block of cells, is coupled with its
  // neighbours alone, so that no more than four colours are needed for a map of them, and six or
  // nine where an odd number of them is closed to a ring. Of P parts of x, one of each colour,
  // x'Ax <= P sum x_c'A x_c for positive A (Schwarz), and the parts see the diagonal alone.
  double colours(bool of_tiles) const;
  double largest_eigenvalue() const { return colours(false) * (scaled_ ? 1.0 : largest_); }

  // b := S b on own cells, and y := x of the system, with its ghosts; and back, on own cells.
  void enter(double* b, const double* x, double* y, workload::Listener& listener) const;
  void leave(const double* y, double* x, workload::Listener& listener) const;

 private:
  void take(const Coefficients& coefficients, bool alike);
  void scale_all();

  const Context& context_;
  bool scaled_, west_ = false;
  Field planes_;  // centre, east, north, north-east, north-west
  Field scale_;   // S
  std::optional<Halo> halo_, halo_with_west_;
  double largest_ = 1.0;  // centre
};

}  // namespace phasewise::ocean
