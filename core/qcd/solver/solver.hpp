// Solves D x = b through the system of the even sites (even_solver.hpp).
#pragma once

#include <array>
#include <vector>

#include "qcd/description.hpp"
#include "qcd/gauge/lane_matrices.hpp"
#include "qcd/solver/even_solver.hpp"

namespace phasewise::qcd {

struct Solved {
  std::int64_t iterations = 0;
  double residual = 0.0;  // |b - D x| / |b|
  std::vector<double>
      residuals;  // of the iterations: of the solver's system over that of the start
};

class Solver {
 public:
  // `real` says whether it has memory. Description and position must outlive it.
  Solver(const Description& description, const Position& position, int threads, bool real);

  // Takes the links, with their halo, as they are now. Collective with a clover term; throws
  // std::invalid_argument, on all ranks, if the part within an odd site cannot be inverted.
  void set_links(const Links& links, workload::Listener& listener);
  void set_manner(const Manner& manner);
  // The exchanges of the faces, in the same order on all ranks.
  exchange::Exchanges exchanges() const;

  // The place of the source.
  void set_place(const Extents& place) { place_ = place; }
  // The right-hand side: a unit spinor with this spin and colour at the source; or
  // [site][spin][colour][re, im], whose length over all ranks is `length`.
  void set_point(int component);
  void set_source(const std::vector<double>& plain, double length);
  // The steps of a solve, reported to the listener: begin, then iterate until done(), with an
  // update after each iteration that asks for one, and end for the solution.
  void begin(workload::Listener& listener);
  void iterate(workload::Listener& listener);
  bool wants_update() const { return even_.wants_update(); }
  void update(workload::Listener& listener) { even_.update(listener); }
  void end(workload::Listener& listener);
  // Whether the residual is small enough, or the iterations are done.
  bool done() const { return even_.done(); }
  bool converged() const { return even_.converged(); }
  const Solved& solved() const { return solved_; }
  // Adds |x|² of each time slice, counted from the source, to `sums`, summed over the ranks.
  void add_pion(std::vector<double>& sums, workload::Listener& listener) const;
  const std::array<Field<double>, 2>& solution() const { return solution_; }
  Dirac<double>& matrix() { return even_.matrix(); }

 private:
  const LaneMatrices& take_in_lanes(const Links& links, int lanes);
  double odd_bound() const;

  const Description& description_;
  Domain domain_;
  int threads_;
  bool real_;
  Extents place_{};
  LaneMatrices in_lanes_;  // the links, where there is a clover term
  EvenSolver even_;
  std::array<Field<double>, 2> source_, solution_;  // by parity
  Field<double> residual_;
  double source_length_ = 1.0;  // |b|
  Solved solved_;
};

}  // namespace phasewise::qcd
