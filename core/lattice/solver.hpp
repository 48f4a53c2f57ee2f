// The conjugate gradient method on the sites of even parity (Hestenes, Stiefel, J. Res. Nat. Bur.
// Standards 49 (1952) 409), for D x = b with Wilson's D = a - H/2, a = 1/(2κ):
//
//   D̂ = a - H_eo H_oe/(4a),  D̂ x_e = b̂ = b_e + H_eo b_o/(2a),  x_o = (b_o + H_oe x_e/2)/a
//
// G = γ5 D̂ is Hermitian, so that D̂†D̂ = G². The terms of each sum are bounded by |H| <= 8 before
// it is made, which takes no maximum over the ranks.
#pragma once

#include <array>
#include <vector>

#include "lattice/exact_sum.hpp"
#include "lattice/hopping.hpp"
#include "workload/listener.hpp"

namespace phasewise::lattice {

struct Solved {
  std::int64_t iterations = 0;
  double residual = 0.0;          // |b - D x| / |b|
  std::vector<double> residuals;  // of the iterations: |D̂†(b̂ - D̂ x)| over that of the start
};

class Solver {
 public:
  // The hopping matrix and the exchanges' owner must outlive it. real: with memory.
  Solver(const Description& description, const Domain& domain, Hopping& hopping, int threads,
         bool real);

  // The exchanges of the faces along each axis; null along one that is not split.
  void set_exchanges(const comm::Exchanges& exchanges) { exchanges_ = exchanges; }
  void set_manner(const Manner& manner) { manner_ = manner; }

  // Steps of a solve, told to the listener: with the right-hand side of this spin and colour,
  // until done(), and for the solution.
  void begin(int component, workload::Listener& listener);
  void iterate(workload::Listener& listener);
  void end(workload::Listener& listener);
  // Whether the residual is small enough, or the iterations are done.
  bool done() const;
  bool converged() const;
  const Solved& solved() const { return solved_; }
  // Adds |x|² of each time slice, counted from the source, to `sums` and over the ranks.
  void add_pion(std::vector<double>& sums, workload::Listener& listener) const;

 private:
  void hop(int parity, Field& out, const Field& in, workload::Listener& listener);
  void exchange(int axis, workload::Listener& listener);
  // out = γ5 D̂ in; through odd_.
  void apply(Field& out, const Field& in, workload::Listener& listener);
  double norm_of(std::string_view phase, const Field& field, double bound,
                 workload::Listener& listener) const;
  template <class F>
  void each(F&& f) const;
  double largest_factor() const { return diagonal_ + 16.0 / diagonal_; }

  const Description& description_;
  Domain domain_;
  Hopping& hopping_;
  int threads_;
  Manner manner_;
  double diagonal_;
  comm::Exchanges exchanges_;
  bool real_;
  std::array<Field, 2> source_, solution_;  // by parity
  Field residual_, direction_, applied_, again_, odd_, hopped_;
  double rr_ = 0.0, rr_start_ = 0.0;   // |r|²
  double length_ = 0.0, grown_ = 0.0;  // bounds of |p| and |x_e|
  Solved solved_;
};

}  // namespace phasewise::lattice
