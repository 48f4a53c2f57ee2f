// Solvers of a linear system on fields of one parity, iteration by iteration, in one precision.
#pragma once

#include <memory>

#include "lattice/dirac.hpp"

namespace phasewise::lattice {

enum class Method : std::uint8_t { cg, bicgstab };

template <class Real>
class Krylov {
 public:
  virtual ~Krylov() = default;

  // The residual of x = 0, to be set before start(), and what is left of it.
  virtual Field<Real>& residual() = 0;
  // Solution so far, from the last start() on.
  virtual Field<Real>& solution() = 0;
  // x = 0. squared: the residual's, known on all ranks. again: the solver may keep its direction,
  // since the residual is its own made anew.
  virtual void start(double squared, bool again) = 0;
  virtual void iterate(workload::Listener& listener) = 0;
  // |residual|², and a bound of |x|.
  virtual double squared() const = 0;
  virtual double grown() const = 0;
  virtual void set_sums(Sums sums) = 0;
};

// cg: of M†M x = b. bicgstab: of M x = b. real: with memory. The matrix must outlive it.
template <class Real>
std::unique_ptr<Krylov<Real>> make_krylov(Method method, Dirac<Real>& matrix, Sums sums);

}  // namespace phasewise::lattice
