// Solves D x = b on the even sites (dirac.hpp): in double precision, in single, or in single with
// the residual recomputed in double (reliable updates: Clark et al., Comput. Phys. Commun. 181
// (2010) 1517).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "qcd/description.hpp"
#include "qcd/solver/krylov.hpp"

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

  // Takes the links, with their halo, as they are now. Collective with a clover term; throws what
  // Dirac::set_links throws.
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
  bool wants_update() const;
  void update(workload::Listener& listener);
  void end(workload::Listener& listener);
  // Whether the residual is small enough, or the iterations are done.
  bool done() const;
  bool converged() const;
  const Solved& solved() const { return solved_; }
  // Adds |x|² of each time slice, counted from the source, to `sums`, summed over the ranks.
  void add_pion(std::vector<double>& sums, workload::Listener& listener) const;
  const std::array<Field<double>, 2>& solution() const { return solution_; }
  Dirac<double>& matrix() { return matrix_; }

 private:
  // A matrix and a method in single precision.
  struct Single {
    Dirac<float> matrix;
    std::unique_ptr<Krylov<float>> krylov;
  };

  // Computes the solver's right-hand side, or a residual, from that of the even sites.
  void normal(Field<double>& even, Field<double>& result, workload::Listener& listener);
  // Hands a residual to the solver.
  void restart(const Field<double>& residual, double squared, bool again,
               workload::Listener& listener);
  // Adds the solver's solution to solution_.
  void absorb(workload::Listener& listener);
  // result = a + factor b.
  void combine(const Field<double>& a, double factor, const Field<double>& b, Field<double>& result,
               workload::Listener& listener) const;
  double norm_of(std::string_view phase, const Field<double>& field, double bound,
                 workload::Listener& listener) const;
  // Computes the norm by two sums: `bound` may cost the first one its digits, but the first one
  // bounds the second.
  double precise_norm_of(std::string_view phase, const Field<double>& field, double bound,
                         workload::Listener& listener) const;
  template <class F>
  decltype(auto) with_krylov(F&& f) const {
    return single_ ? f(*single_->krylov) : f(*krylov_);
  }
  double squared() const {
    return with_krylov([](const auto& krylov) { return krylov.squared(); });
  }
  double half_volume() const { return matrix_.hopping().half_volume(); }
  double odd_bound() const;

  const Description& description_;
  Domain domain_;
  int threads_;
  bool real_;
  Manner manner_;
  Extents place_{};
  std::vector<double> links_, before_;  // [site][axis][3][3][re, im]
  Dirac<double> matrix_;
  std::unique_ptr<Krylov<double>> krylov_;
  std::unique_ptr<Single> single_;
  std::array<Field<double>, 2> source_, solution_;  // by parity
  Field<double> right_, residual_, between_;
  double source_length_ = 1.0;  // |b|
  double squared_start_ = 0.0, squared_goal_ = 0.0;
  double largest_ = 0.0;  // |r|² since the last update
  double grown_ = 0.0;    // bound of |x_e|
  bool updated_ = false;  // whether the last step updated
  Solved solved_;
};

}  // namespace phasewise::qcd
