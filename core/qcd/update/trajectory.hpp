// A trajectory of the Hybrid Monte Carlo algorithm (S. Duane, A. D. Kennedy, B. J. Pendleton, D.
// Roweth, Phys. Lett. B 195 (1987) 216), written once for all listeners.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "parallel/buffer.hpp"
#include "qcd/update/integrator.hpp"
#include "qcd/update/monomial.hpp"

namespace phasewise::qcd {

// What a trajectory measured, by monomial where there is one of each.
struct TrajectoryValues {
  bool accepted = false;
  double delta_h = 0.0;         // infinite if an action is, or a solve did not converge
  double kinetic = 0.0;         // at the start
  std::vector<double> actions;  // at the start
  // The root of the mean over links and calls of Σ_a (∂_a S)², and that of the largest.
  std::vector<double> force, force_max;
  std::vector<SolveCounts> solves;
  std::int64_t unconverged = 0;
  std::int64_t reunitarised = 0;  // links that had left SU(3)
  // The monomial that made ΔH infinite or huge, and which of its forces did, counted from 0; -1
  // stands for its action. -1 if none did.
  int trouble = -1;
  std::int64_t trouble_step = -1;
};

// A monomial, and the level at which its force moves the momenta.
struct Acting {
  Monomial* monomial;
  int level;
};

class Trajectory {
 public:
  // `exchange` fetches the halo of the links. Fields and monomials must outlive it.
  using ExchangeLinks = std::function<void(workload::Listener&)>;
  Trajectory(UpdateFields& fields, std::vector<Acting> acting, std::vector<Move> moves,
             ExchangeLinks exchange);

  // Makes the trajectory with this number.
  void tell(std::int64_t number, workload::Listener& listener);
  const TrajectoryValues& values() const { return values_; }

  // The parts of a trajectory. start() draws momenta and pseudofermions.
  void start(std::int64_t number, workload::Listener& listener);
  // Σ p_a²/2 and the actions.
  std::vector<double> energies(workload::Listener& listener);
  // Makes the moves, or those before a solve that does not converge; returns whether all were made.
  bool integrate(workload::Listener& listener);

 private:
  bool converged();
  void move_links(double time, workload::Listener& listener);
  void keep_links(workload::Listener& listener);
  void restore_links(workload::Listener& listener);
  void decide(std::int64_t number, const std::vector<double>& start,
              const std::vector<double>& end);
  void end(workload::Listener& listener);
  void name_trouble(const std::vector<double>& start, const std::vector<double>& end);

  UpdateFields& fields_;
  std::vector<Acting> acting_;
  std::vector<Move> moves_;
  ExchangeLinks exchange_;
  parallel::Buffer<Matrix> kept_;  // the links at the start
  // Of each monomial: the largest change of a momentum in a move, squared, and the number of the
  // force that made it.
  std::vector<double> largest_kick_;
  std::vector<std::int64_t> kick_number_;
  bool moved_ = false;  // whether all moves of the last trajectory were made
  TrajectoryValues values_;
};

}  // namespace phasewise::qcd
