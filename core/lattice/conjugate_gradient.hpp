// Conjugate gradients for M†M x = b on fields of one parity, in one precision or in single with the
// residual made anew in double (reliable updates: Clark et al., Comput. Phys. Commun. 181 (2010)
// 1517).
#pragma once

#include <functional>
#include <vector>

#include "lattice/dirac.hpp"
#include "lattice/field_sums.hpp"

namespace phasewise::lattice {

struct SolverSettings {
  double tolerance = 1e-12;  // of |b - M†M x| / |b|; 0: all iterations are made
  int iterations = 10000;    // at most
};

struct SolverResult {
  int iterations = 0;
  double residual = 0.0;  // |b - M†M x| / |b|, made from x
  bool converged = false;
  std::vector<double> history;  // the residual that the solver believes, after each iteration
};

// The state of an iteration in one precision.
template <class Real>
class ConjugateGradient {
 public:
  ConjugateGradient(FieldOperator<Real>& matrix, double all_sites, Outside& outside);

  // x = 0, r and p = the residual that stands in r().
  void start();
  // |Mp|², α, x and r with |r|², β, p: two calls of M and two sums. turn: p is made ready too.
  void iterate(bool turn = true);
  // p = r + β p, after r has been replaced or not; squared: |r|².
  void turn(double squared);
  double norm(const Real* field);

  Real* r() { return r_.data(); }
  Real* x() { return x_.data(); }
  double squared() const { return squared_; }
  const FieldShape<Real>& shape() const { return shape_; }
  void clear_solution();

 private:
  FieldOperator<Real>& matrix_;
  Outside& outside_;
  FieldShape<Real> shape_;
  parallel::Buffer<Real> x_, r_, p_, q_, z_;
  RememberedSum curvature_{"sum_curvature"}, residual_{"sum_residual"}, other_{"sum_norm"};
  double squared_ = 0.0, before_ = 0.0;
};

// x from b; x begins at zero.
template <class Real>
SolverResult solve(FieldOperator<Real>& matrix, double all_sites, Outside& outside,
                   const SolverSettings& settings, const Real* b, Real* x);

// Copies a field of one parity between the orders of two precisions.
using ToDouble = std::function<void(const float*, double*)>;
using ToSingle = std::function<void(const double*, float*)>;
SolverResult solve_mixed(FieldOperator<double>& matrix, FieldOperator<float>& single,
                         const ToDouble& to_double, const ToSingle& to_single, double all_sites,
                         Outside& outside, const SolverSettings& settings, const double* b,
                         double* x);

}  // namespace phasewise::lattice
