// Runs solves, or updates with their measurements, one after the other.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "qcd/workload.hpp"
#include "workload/live.hpp"
#include "workload/run.hpp"

namespace phasewise::qcd {

class Run : public workload::Run {
 public:
  // Collective.
  Run(const std::shared_ptr<const Qcd>& study, std::unique_ptr<workload::Session> session);

  std::vector<workload::Value> record() const override;
  std::vector<std::pair<std::string, double>> headline() const override;
  std::vector<std::pair<std::string, double>> piece_counts() const override;
  void exchange_as(const workload::Parameters& parameters) override;
  // Links that came from a file or an update, one row for each site; other links follow from the
  // study.
  std::vector<std::string> row_sets() const override;
  workload::Rows rows(const std::string& set) const override;
  std::vector<std::int64_t> own_rows(const std::string& set) const override;
  void replace_rows(const std::string& set, const workload::Rows& rows) override;

  // The part of this rank.
  const Domain& domain() const { return turn_of_rank_.domain(); }
  // This rank's links, [site][axis], with x fastest among sites. `set_links` is for links from a
  // file, before the first solve.
  void set_links(const Matrix* links);
  std::vector<Matrix> own_links();
  bool has_links() const { return has_links_; }

  // Takes new links: measures them, and hands them to the quarks. Collective, as are all that
  // follow.
  void take_links();
  // D psi or D† psi of this rank's part, [site][spin][colour][re, im].
  std::vector<double> dirac(const double* psi, bool dagger);
  // x of D x = b, each rank its part. How the solve went stands in `solved`.
  std::vector<double> solve_for(const std::vector<double>& b);
  const Solved& solved() const { return turn_of_rank_.solver().solved(); }
  bool converged() const { return turn_of_rank_.solver().converged(); }
  // This rank's part of the study's source, with this spin and colour at the point.
  std::vector<double> source(int spin, int colour) const {
    return turn_of_rank_.smeared().spinors(spin, colour);
  }

  // For tests of an update. The names of the action's terms; the term of all ranks; its force F,
  // this rank's part, [site][axis], on the links as they are.
  std::vector<std::string> monomials();
  void refresh(std::int64_t number);
  double action_of(const std::string& monomial);
  std::vector<Matrix> force_of(const std::string& monomial);
  // Goes along the trajectory with this number and back, with momenta turned around. Returns ΔH of
  // the way there and of both ways.
  std::array<double, 2> there_and_back(std::int64_t number);

 protected:
  void run_turn() override;

 private:
  void run_solves();
  void run_update();
  void solve(int component);
  void count_solves();
  Update& update();
  void add_solves(std::vector<workload::Value>& values) const;
  void add_update(std::vector<workload::Value>& values) const;

  const Description& description_;
  Turn turn_of_rank_;
  workload::Live live_;
  bool has_links_ = false, links_are_new_ = true;
  std::int64_t iterations_ = 0, updates_ = 0, configurations_ = 0;  // so far
  std::int64_t last_iterations_ = 0;                                // in the last solve
  std::int64_t measurements_ = 0, right_sides_ = 0;                 // so far, in an update
  std::vector<SolveCounts> of_monomials_;                           // so far
  bool measured_ = true;           // whether the last turn has measured
  double residual_ = 0.0;          // the largest of the last solve's right-hand sides
  std::vector<double> residuals_;  // after each iteration for the first right-hand side
  bool converged_ = true;
};

}  // namespace phasewise::qcd
