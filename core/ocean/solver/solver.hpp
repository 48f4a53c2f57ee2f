// Solves A x = b for a symmetric positive operator of nine points on the blocks of all ranks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "exchange/team.hpp"
#include "ocean/layout.hpp"
#include "ocean/planes.hpp"
#include "ocean/solver/coefficients.hpp"
#include "ocean/solver/setting.hpp"
#include "workload/listener.hpp"
#include "workload/planned_run.hpp"

namespace phasewise::ocean {

struct Solved {
  std::int64_t iterations = 0;
  double residual = 0.0;           // |b - A x| / |b|
  std::array<double, 2> bounds{};  // of the eigenvalues of the preconditioned operator
  double condition = 0.0;          // their ratio
  std::vector<double> residuals;   // each one that was computed
  std::vector<std::int64_t> at;    // the iterations after which they were computed
};

class Solver {
 public:
  // Layout and planes must outlive it. team: all ranks; nodes: the node of each. Throws
  // std::invalid_argument with one sentence if the tiles are too large for evp.
  Solver(const SolverSetting& setting, const Layout& layout, const Planes& planes,
         const std::vector<int>& nodes, const exchange::TeamPointer& team, int threads,
         workload::Contents contents);
  Solver(Solver&&) noexcept;
  ~Solver();

  // What all ranks prepare together.
  exchange::Exchanges exchanges() const;
  // Takes the protocols and the algorithm of sums of another setting. The exchanges are then
  // others.
  void exchange_as(const SolverSetting& setting);

  // Collective, as are all that take a listener. Exchanges the ghosts of the operator, prepares the
  // preconditioner, and finds the bounds of the eigenvalues if the method needs them. Throws
  // std::invalid_argument with one sentence, the same on all ranks, if the operator is not
  // positive.
  void set_operator(const Coefficients& coefficients, workload::Listener& listener);

  // Planes of b, whose own cells are read and then changed, and of x, which has the first guess
  // with its ghosts, and at the end own cells of the solution. Null without contents.
  double* right();
  double* solution();

  // The steps of a solve: begin, then iterate until done(), with a check after each iteration that
  // wants one, and end. Iterations that share an exchange are one call of iterate. They throw
  // std::runtime_error with one sentence, the same on all ranks, if the operator is not positive,
  // or numbers are not finite.
  void begin(workload::Listener& listener);
  void iterate(workload::Listener& listener);
  bool wants_check() const;
  void check(workload::Listener& listener);
  // Whether the residual is small enough, or the iterations are done.
  bool done() const;
  bool converged() const;
  void end(workload::Listener& listener);
  // The solution becomes M⁻¹ b.
  void precondition(workload::Listener& listener);

  const Solved& solved() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace phasewise::ocean
