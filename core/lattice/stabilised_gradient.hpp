// The stabilised method of biconjugate gradients for M x = b (van der Vorst, SIAM J. Sci. Stat.
// Comput. 13 (1992) 631).
#pragma once

#include <complex>

#include "lattice/krylov.hpp"

namespace phasewise::lattice {

template <class Real>
class StabilisedGradient final : public Krylov<Real> {
 public:
  StabilisedGradient(Dirac<Real>& matrix, Sums sums);

  Field<Real>& residual() override { return r_; }
  Field<Real>& solution() override { return x_; }
  void start(double squared, bool again) override;
  void iterate(workload::Listener& listener) override;
  double squared() const override { return squared_; }
  double grown() const override { return grown_; }
  void set_sums(Sums sums) override { sums_ = sums; }

 private:
  using Complex = std::complex<double>;

  // Each makes a pass over fields, and a sum over the ranks.
  void turn(workload::Listener& listener);
  Complex direction(workload::Listener& listener);
  void half_step(Complex alpha, workload::Listener& listener);
  Complex step(workload::Listener& listener);
  void advance(Complex alpha, Complex omega, workload::Listener& listener);

  Dirac<Real>& matrix_;
  Sums sums_;
  Field<Real> x_, r_, shadow_, p_, v_, t_;
  Complex rho_, beta_, omega_;                // rho: of the shadow and r
  double squared_ = 0.0;                      // |r|²
  double shadow_length_ = 0.0, grown_ = 0.0;  // bounds of |shadow| and |x|
  double p_length_ = 0.0, v_length_ = 0.0, s_length_ = 0.0, t_length_ = 0.0;
};

}  // namespace phasewise::lattice
