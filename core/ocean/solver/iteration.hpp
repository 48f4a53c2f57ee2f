// The methods, iteration by iteration, on the system S A S y = S b (system.hpp).
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "ocean/solver/system.hpp"
#include "ocean/solver/tiles.hpp"

namespace phasewise::ocean {

// What a method works with. y has the solution so far with its ghosts, and r the residual.
struct Problem {
  const Context& context;
  const System& system;
  Tiles* tiles;  // null: the system is its own preconditioned operator
  Field b, y, r;
  double wanted = 0.0;  // |r|² of A that is small enough; 0: the number of iterations is fixed

  // Bounds: of the eigenvalues of the system and of the preconditioned operator, of those of the
  // preconditioner's inverse, and of |r|² over r'M⁻¹r.
  double largest_of_system() const { return system.largest_eigenvalue(); }
  double largest() const { return tiles ? system.colours(true) : largest_of_system(); }
  double largest_inverse() const { return tiles ? tiles->largest_inverse() : 1.0; }
  double over_energy() const {
    return system.largest_weight() * (tiles ? system.colours(true) : 1.0);
  }
  // Of the magnitudes |r_i z_i| over r'z, where z = M⁻¹ r.
  double spread() const {
    return tiles ? std::sqrt(system.colours(true) * tiles->largest_inverse()) : 1.0;
  }

  // z := M⁻¹ r, with tiles.
  void precondition(const double* from, double* z, workload::Listener& listener) const;
  // The card of a kernel that solves the tiles and does more with each cell.
  parallel::KernelCard tiles_card(double flops, double planes) const;
};

inline constexpr double word = 8.0;  // bytes of a value

inline void append(exchange::Exchanges& all, const exchange::Exchanges& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// The coefficients of conjugate gradients make up the matrix of Lanczos's method (Golub, Van Loan,
// Matrix Computations, 10.2), whose eigenvalues lie between those of the operator.
struct Coefficient {
  double alpha, beta;  // beta: of the step before
};
std::array<double, 2> extreme_eigenvalues(const std::vector<Coefficient>& steps);

class Iteration {
 public:
  explicit Iteration(Problem& problem) : problem_(problem), context_(problem.context) {}
  Iteration(const Iteration&) = delete;
  Iteration& operator=(const Iteration&) = delete;
  virtual ~Iteration() = default;

  // Makes the exchanges anew, as the context says now.
  virtual void make_exchanges() = 0;
  virtual exchange::Exchanges exchanges() const = 0;

  // `squared` is |r|² of the system and `weighted` that of A.
  virtual void begin(double squared, double weighted, workload::Listener& listener) = 0;
  // Throws std::runtime_error with one sentence, the same on all ranks, if the operator is found
  // not to be positive.
  virtual void iterate(workload::Listener& listener) = 0;
  virtual bool wants_check() const { return false; }
  virtual void check(workload::Listener& /*listener*/) {}

  int iterations() const { return iterations_; }
  // |r|² of A as last known, and the iterations after which it was so.
  double weighted() const { return weighted_; }
  int known_at() const { return known_at_; }
  const std::vector<Coefficient>& steps() const { return steps_; }

 protected:
  // Starts to count anew.
  void restart(double weighted) {
    iterations_ = known_at_ = 0;
    weighted_ = weighted;
    steps_.clear();
  }
  void know(double weighted, int at) {
    weighted_ = weighted;
    known_at_ = at;
  }
  // alpha = energy / curvature, which is zero once the residual is.
  double step_length(double energy, double curvature) const;

  Problem& problem_;
  const Context& context_;
  std::vector<Coefficient> steps_;
  int iterations_ = 0;

 private:
  double weighted_ = 0.0;
  int known_at_ = 0;
};

// A bound of (r - alpha q)'M⁻¹(r - alpha q), from r'M⁻¹r and p'q, where q = A p: the preconditioned
// operator is bounded. The factor leaves room for what recurrences lose.
inline double next_energy(double energy, double alpha, double curvature, double largest) {
  const double length = std::sqrt(energy) + std::fabs(alpha) * std::sqrt(largest * curvature);
  return 1.5 * length * length;
}

std::unique_ptr<Iteration> make_pcg(Problem& problem);
std::unique_ptr<Iteration> make_chron_gear(Problem& problem);
std::unique_ptr<Iteration> make_pipelined(Problem& problem);
// `bounds` holds the eigenvalues of the preconditioned operator, and is read when a solve begins.
std::unique_ptr<Iteration> make_chebyshev(Problem& problem, const std::array<double, 2>& bounds);

}  // namespace phasewise::ocean
