// The conjugate gradient method on the sites of even parity (Hestenes, Stiefel, J. Res. Nat. Bur.
// Standards 49 (1952) 409), for D x = b with Wilson's D = a - H/2, a = 1/(2κ):
//
//   M x_e = b_e/a + H_eo b_o/(2a²),  M = 1 - H_eo H_oe/(4a²),  x_o = b_o/a + H_oe x_e/(2a)
//
// by M†M. The terms of each sum are bounded by |H| <= 8 before it is made, which takes no maximum
// over the ranks.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "lattice/description.hpp"
#include "lattice/face_messages.hpp"
#include "lattice/field_sums.hpp"
#include "lattice/links.hpp"
#include "workload/listener.hpp"

namespace phasewise::lattice {

struct Solved {
  std::int64_t iterations = 0;
  double residual = 0.0;          // |b - D x| / |b|
  std::vector<double> residuals;  // of the iterations: |M†(b̂ - M x)| over that of the start
};

class Solver {
 public:
  // real: with memory. The description must outlive it.
  Solver(const Description& description, const Domain& domain, int threads, bool real);

  // Takes the links as they are, with the phases of the boundary.
  void set_links(const Links& links);
  // Exchanges along each axis, null along one that is not split, of the memory of `messages`.
  void set_manner(const Manner& manner);
  void set_exchanges(const comm::Exchanges& exchanges) { exchanges_ = exchanges; }
  const FaceMessages& messages() const { return messages_; }

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
  using Field = parallel::Buffer<double>;  // of one parity, in the order of the kernel

  void make_hopping();
  void hop(int to, bool dagger, const Field& in, Field& out, workload::Listener& listener);
  void start_exchange(int axis, workload::Listener& listener);
  // M or M† of a field, through odd_ and hopped_.
  void apply(bool dagger, const Field& in, Field& out, workload::Listener& listener);
  // a + factor b.
  void combine(const Field& a, double factor, const Field& b, Field& out,
               workload::Listener& listener) const;
  // bound: of the whole sum, and so of each term. part(bound): what this rank adds.
  template <class F>
  double sum(std::string_view phase, const parallel::KernelCard& card, double bound, F&& part,
             workload::Listener& listener) const;
  double norm_of(std::string_view phase, const Field& field, double bound,
                 workload::Listener& listener) const;
  FieldShape<double> shape() const;
  double half_volume() const { return 0.5 * static_cast<double>(domain_.volume()); }
  std::int64_t inside() const;
  double largest_factor() const { return 1.0 + 16.0 / (diagonal_ * diagonal_); }

  const Description& description_;
  Domain domain_;
  int threads_;
  bool real_;
  Manner manner_;
  double diagonal_;
  FaceMessages messages_;
  comm::Exchanges exchanges_;
  std::vector<double> links_, before_;  // [site][axis][3][3][re, im]
  std::unique_ptr<Hopping<double>> hopping_;
  std::array<Field, 2> source_, solution_;  // by parity; of the source b/a
  Field residual_, direction_, applied_, again_, odd_, hopped_;
  double rr_ = 0.0, rr_start_ = 0.0;   // |r|²
  double length_ = 0.0, grown_ = 0.0;  // bounds of |p| and |x_e|
  Solved solved_;
};

}  // namespace phasewise::lattice
