// Solves a linear system on the even sites (dirac.hpp): (M†M + µ²) x = b by conjugate gradients, or
// M x = b by the stabilised method; in double precision, in single, or in single with the residual
// recomputed in double (reliable updates: Clark et al., Comput. Phys. Commun. 181 (2010) 1517).
#pragma once

#include <memory>
#include <vector>

#include "qcd/description.hpp"
#include "qcd/solver/krylov.hpp"

namespace phasewise::qcd {

// What a solve is to reach: |residual| over that of x = 0 (0: all iterations are done).
struct SolveGoal {
  double tolerance = 0.0;
  std::int64_t iterations = 1;  // at most
};

class EvenSolver {
 public:
  // `real` says whether it has memory. The position must outlive it.
  EvenSolver(const Description& description, Method method, const Position& position, int threads,
             bool real);

  // Takes the links, as Dirac::set_links does, in both precisions.
  void set_links(const Hops& hops, workload::Listener& listener);
  void set_manner(const Manner& manner);
  // The exchanges of the faces, in the same order on all ranks.
  exchange::Exchanges exchanges() const;

  // The right-hand side b, to be set before begin().
  Field<double>& right() { return right_; }
  // Begins at x = 0. `squared` is |b|², known on all ranks; `shift` is µ², and 0 for M x = b.
  void begin(double squared, const SolveGoal& goal, double shift, workload::Listener& listener);
  // begin() does this too.
  void set_shift(double shift);
  void iterate(workload::Listener& listener);
  bool wants_update() const;
  void update(workload::Listener& listener);
  // Completes the solution.
  void end(workload::Listener& listener) { absorb(listener); }
  // Whether the residual is small enough, or the iterations are done, or no number is left.
  bool done() const;
  bool converged() const;

  const Field<double>& solution() const { return solution_; }
  std::int64_t iterations() const { return iterations_; }
  // |residual| over that of x = 0 after each iteration.
  const std::vector<double>& residuals() const { return residuals_; }
  // A bound of |x|.
  double grown() const { return grown_; }
  Dirac<double>& matrix() { return matrix_; }
  const Dirac<double>& matrix() const { return matrix_; }

  // The same for those who hold fields of double precision: result = a + factor b, and |field|²,
  // which is at most `bound`.
  void combine(const Field<double>& a, double factor, const Field<double>& b, Field<double>& result,
               workload::Listener& listener) const;
  void copy(const Field<double>& from, Field<double>& to, workload::Listener& listener) const;
  double norm_of(std::string_view phase, const Field<double>& field, double bound,
                 workload::Listener& listener) const;
  // Computes the norm by two sums: `bound` may cost the first one its digits, but the first one
  // bounds the second.
  double precise_norm_of(std::string_view phase, const Field<double>& field, double bound,
                         workload::Listener& listener) const;

 private:
  // A matrix and a method in single precision.
  struct Single {
    Dirac<float> matrix;
    std::unique_ptr<Krylov<float>> krylov;
  };

  // Hands a residual to the method.
  void restart(const Field<double>& residual, double squared, bool again,
               workload::Listener& listener);
  // Adds the method's solution to solution_.
  void absorb(workload::Listener& listener);
  template <class F>
  decltype(auto) with_krylov(F&& f) const {
    return single_ ? f(*single_->krylov) : f(*krylov_);
  }
  double squared() const {
    return with_krylov([](const auto& krylov) { return krylov.squared(); });
  }
  double half_volume() const { return matrix_.hopping().half_volume(); }

  Method method_;
  Precision precision_;
  Sums sums_;
  int threads_;
  Dirac<double> matrix_;
  std::unique_ptr<Krylov<double>> krylov_;
  std::unique_ptr<Single> single_;
  Field<double> right_, solution_, residual_, between_;
  SolveGoal goal_;
  double shift_ = 0.0;
  double squared_start_ = 0.0, squared_goal_ = 0.0;
  double largest_ = 0.0;  // |r|² since the last update
  double grown_ = 0.0;
  bool updated_ = false;  // whether the last step updated
  std::int64_t iterations_ = 0;
  std::vector<double> residuals_;
};

}  // namespace phasewise::qcd
