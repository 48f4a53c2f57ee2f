// The conjugate gradient method for M†M x = b (Hestenes, Stiefel, J. Res. Nat. Bur. Standards 49
// (1952) 409).
#pragma once

#include "lattice/krylov.hpp"

namespace phasewise::lattice {

template <class Real>
class ConjugateGradient final : public Krylov<Real> {
 public:
  ConjugateGradient(Dirac<Real>& matrix, Sums sums);

  Field<Real>& residual() override { return r_; }
  Field<Real>& solution() override { return x_; }
  void start(double squared, bool again) override;
  void iterate(workload::Listener& listener) override;
  double squared() const override { return squared_; }
  double grown() const override { return grown_; }
  void set_sums(Sums sums) override { sums_ = sums; }

 private:
  void turn(double beta, workload::Listener& listener);

  Dirac<Real>& matrix_;
  Sums sums_;
  Field<Real> x_, r_, p_, q_, z_;
  double squared_ = 0.0;               // |r|²
  double before_ = 0.0;                // that of p's last turn
  double length_ = 0.0, grown_ = 0.0;  // bounds of |p| and |x|
  bool begins_ = true;                 // p is still to be r
};

}  // namespace phasewise::lattice
