// The conjugate gradient method for (M†M + µ²) x = b (Hestenes, Stiefel, J. Res. Nat. Bur.
// Standards 49 (1952) 409).
#pragma once

#include "qcd/solver/krylov.hpp"

namespace phasewise::qcd {

template <class Real>
class ConjugateGradient final : public Krylov<Real> {
 public:
  ConjugateGradient(Dirac<Real>& matrix, Sums sums);

  void iterate(workload::Listener& listener) override;

 private:
  using Base = Krylov<Real>;
  using Base::grown_, Base::matrix_, Base::r_, Base::shift_, Base::squared_, Base::sums_, Base::x_;

  void begin(bool again, workload::Listener& listener) override;
  void turn(double beta, workload::Listener& listener);
  double squared_curvature(workload::Listener& listener);

  Field<Real> p_, q_, z_;
  double before_ = 0.0;  // r|² when p was last updated
  double length_ = 0.0;  // a bound of |p|
  bool begins_ = true;   // p is still to be set to r
};

}  // namespace phasewise::qcd
