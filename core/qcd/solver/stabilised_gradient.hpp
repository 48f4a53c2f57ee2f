// The stabilised method of biconjugate gradients for M x = b (van der Vorst, SIAM J. Sci. Stat.
// Comput. 13 (1992) 631). Where the residual is recomputed in double precision, the shadow residual
// and the directions are kept (group-wise updates: van der Vorst, Ye, SIAM J. Sci. Comput. 22
// (2000) 835; Sleijpen, van der Vorst, Computing 56 (1996) 141).
#pragma once

#include <complex>

#include "qcd/solver/krylov.hpp"

namespace phasewise::qcd {

template <class Real>
class StabilisedGradient final : public Krylov<Real> {
 public:
  StabilisedGradient(Dirac<Real>& matrix, Sums sums);

  void iterate(workload::Listener& listener) override;

 private:
  using Base = Krylov<Real>;
  using Base::grown_, Base::matrix_, Base::r_, Base::squared_, Base::sums_, Base::x_;
  using Complex = std::complex<double>;

  // Whether steps along s may be longer than those that make |r| smallest.
  static constexpr bool lengthens = sizeof(Real) < sizeof(double);

  void begin(bool again, workload::Listener& listener) override;
  void go_on(workload::Listener& listener);
  // Each of these makes a pass over fields, and a sum over the ranks.
  void turn(workload::Listener& listener);
  Complex direction(workload::Listener& listener);
  void half_step(Complex alpha, workload::Listener& listener);
  Complex step(workload::Listener& listener);
  void advance(Complex alpha, Complex omega, workload::Listener& listener);

  Field<Real> shadow_, p_, v_, t_;
  Complex rho_, beta_, omega_;  // rho: product of the shadow and r
  // Bounds of lengths, or the lengths.
  double shadow_length_ = 0.0, p_length_ = 0.0, v_length_ = 0.0, s_length_ = 0.0, t_length_ = 0.0;
};

}  // namespace phasewise::qcd
