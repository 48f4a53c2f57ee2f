// An equation of nine points on the ranks of a session, as Python uses it: every rank hands over
// whole arrays, and gets the whole solution.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ocean/solver/solver.hpp"
#include "workload/live.hpp"
#include "workload/session.hpp"

namespace phasewise::ocean {

// Whole arrays, [ny][nx]; the mask has 1 where an equation holds. Couplings as in Coefficients.
struct WholeOperator {
  SeaMask mask;
  std::vector<double> centre, east, north, north_east, north_west;  // the last may be empty
};

class NinePoint {
 public:
  // Collective, as are all but solved(). Throws std::invalid_argument with one sentence.
  NinePoint(const WholeOperator& whole, const LayoutSetting& layout, const SolverSetting& setting,
            int threads);

  // x of A x = b, for a first guess; both are [ny][nx].
  std::vector<double> solve(const double* b, const double* guess);
  std::vector<double> precondition(const double* r);
  const Solved& solved() const { return solver_->solved(); }
  bool converged() const { return solver_->converged(); }
  // The wall-clock time of the last solve, its processor's time with all threads, and the
  // wall-clock time of the preparations before the first one.
  double seconds() const { return seconds_; }
  double processor_seconds() const { return processor_; }
  double seconds_of_setup() const { return setup_; }

 private:
  // Own cells, with those of other ranks around them, of a whole array.
  void take(const double* whole, double* plane) const;
  std::vector<double> whole_of(const double* plane);

  workload::Session session_;
  workload::Live live_;
  Layout layout_;
  Planes planes_;
  std::unique_ptr<Solver> solver_;
  double seconds_ = 0.0, processor_ = 0.0, setup_ = 0.0;
};

}  // namespace phasewise::ocean
