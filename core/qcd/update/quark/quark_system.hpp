// What the quark monomials of a trajectory share: the Dirac operator on the links of now, its
// solver, and the forces of its hopping matrix and clover term.
#pragma once

#include <memory>

#include "qcd/description.hpp"
#include "qcd/solver/even_solver.hpp"
#include "qcd/update/clover_force.hpp"
#include "qcd/update/monomial.hpp"
#include "qcd/update/quark/clover_tensor.hpp"
#include "qcd/update/quark/pseudofermion.hpp"
#include "qcd/update/quark/quark_force.hpp"
#include "qcd/update/setting.hpp"

namespace phasewise::qcd {

// (M†M + µ²) x = b on the even sites.
struct QuarkSolve {
  double squared;  // |b|², known on all ranks
  double shift;    // µ²
  double tolerance;
};

class QuarkSystem {
 public:
  // Description and fields must outlive it.
  QuarkSystem(const Description& description, UpdateFields& fields);

  void set_manner(const Manner& manner);
  // In the same order on all ranks.
  exchange::Exchanges exchanges() const;

  // Takes the links if they have changed.
  void take_links(workload::Listener& listener);
  // Solves for right(), from x = 0; solution() is x afterwards. Returns false for a solve that
  // should have converged and did not, and counts it.
  Field<double>& right() { return solver_.right(); }
  bool solve(const QuarkSolve& solve, const SolveControl& control, SolveCounts& counts,
             workload::Listener& listener);
  const Field<double>& solution() const { return solver_.solution(); }
  // One iteration and one update of such a solve, for a plan.
  void tell_iteration(double shift, workload::Listener& listener);
  void tell_update(double shift, workload::Listener& listener);

  // Whether the determinant of the clover term on odd sites is added, -log det (A A†): that is
  // -2 log |det A| without a twisted mass, and -log det (A² + µ²) of the Hermitian A with one.
  enum class Determinant : bool { without, with };
  // momenta -= step F, where S changes by -2 b Re (M x)† δM x with x = solution().
  void move(double b, Determinant determinant, double step, ForceNorms& norms,
            workload::Listener& listener);
  double determinant_action(workload::Listener& listener);

  // |field|² over all ranks; infinite if it is not a number.
  double squared_length(const Field<double>& field, workload::Listener& listener) const;
  // result = a + factor b, on even sites.
  void combine(const Field<double>& a, double factor, const Field<double>& b, Field<double>& result,
               workload::Listener& listener) const {
    solver_.combine(a, factor, b, result, listener);
  }
  void copy(const Field<double>& from, Field<double>& to, workload::Listener& listener) const {
    solver_.copy(from, to, listener);
  }
  Dirac<double>& matrix() { return solver_.matrix(); }
  Field<double> field() const { return zeros<double>(solver_.matrix().hopping().reals()); }
  int lanes() const { return sites_.lanes(); }
  const SpinorSites& sites() const { return sites_; }
  // Fields that anybody may use between two of these calls.
  Field<double>& scratch(int number) { return scratch_[number]; }

 private:
  // The forces of the clover term, where there is one.
  struct Clover {
    Clover(UpdateFields& fields, const QuarkAction& action)
        : force(fields), tensor(fields, force.box(), action) {}
    CloverForce force;
    CloverTensor tensor;
  };

  void iterate(const SolveControl& control, workload::Listener& listener);

  const Description& description_;
  UpdateFields& fields_;
  EvenSolver solver_;
  SpinorSites sites_;
  QuarkForce force_;
  std::unique_ptr<Clover> clover_;
  Momenta collected_;  // F
  Field<double> scratch_[3];
  std::int64_t version_ = 0;  // of the links that were taken
  std::int64_t updates_ = 0;  // of a solve
};

}  // namespace phasewise::qcd
