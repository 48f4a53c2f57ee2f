// Solvers of a linear system on fields of one parity, iteration by iteration, in one precision.
#pragma once

#include <memory>

#include "qcd/dirac/dirac.hpp"
#include "qcd/solver/field_sums.hpp"

namespace phasewise::qcd {

enum class Method : std::uint8_t { cg, bicgstab };

template <class Real>
class Krylov {
 public:
  virtual ~Krylov() = default;

  // Set this to the residual of x = 0 before start(); later it is the residual of the solution so
  // far.
  Field<Real>& residual() { return r_; }
  // The solution so far, from the last start() on.
  const Field<Real>& solution() const { return x_; }
  // Sets x = 0. `squared` is the square of the residual, known on all ranks. `again` means that the
  // solver keeps its directions, since the residual is its own, recomputed.
  void start(double squared, bool again, workload::Listener& listener) {
    if (x_.size() > 0) shape().clear(x_.data());
    grown_ = 0.0;
    squared_ = squared;
    begin(again, listener);
  }
  virtual void iterate(workload::Listener& listener) = 0;
  // |residual|², and a bound of |x|.
  double squared() const { return squared_; }
  double grown() const { return grown_; }
  void set_sums(Sums sums) { sums_ = sums; }
  // µ² of M†M + µ², before start(); other methods than cg have none.
  void set_shift(double shift) { shift_ = shift; }

 protected:
  Krylov(Dirac<Real>& matrix, Sums sums) : matrix_(matrix), sums_(sums), x_(field()), r_(field()) {}

  virtual void begin(bool again, workload::Listener& listener) = 0;
  Field<Real> field() const { return zeros<Real>(matrix_.hopping().reals()); }
  FieldShape<Real> shape() const { return shape_of(matrix_.hopping(), matrix_.threads()); }
  double sites() const { return matrix_.hopping().half_volume(); }

  Dirac<Real>& matrix_;
  Sums sums_;
  Field<Real> x_, r_;
  double squared_ = 0.0, grown_ = 0.0, shift_ = 0.0;
};

// cg solves (M†M + µ²) x = b, bicgstab M x = b. The matrix must outlive the solver.
template <class Real>
std::unique_ptr<Krylov<Real>> make_krylov(Method method, Dirac<Real>& matrix, Sums sums);

}  // namespace phasewise::qcd
