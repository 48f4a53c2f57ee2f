// The Dirac operator D = A - H/2 on a rank's part of the lattice, and its even-odd form on even
// sites, M = A_ee - H_eo A_oo⁻¹ H_oe / 4.
#pragma once

#include <array>

#include "qcd/dirac/halo_hopping.hpp"
#include "qcd/dirac/quark_action.hpp"
#include "qcd/gauge/links.hpp"

namespace phasewise::qcd {

template <class Real>
class Dirac {
 public:
  // `real` says whether it has memory. The position must outlive it.
  Dirac(const Position& position, const QuarkAction& action, const Manner& manner, int threads,
        bool real);

  // Takes the hopping matrix's links (HaloHopping::set_links), and the configuration itself, with
  // its halo, for the clover term. Collective with a clover term; throws std::invalid_argument, on
  // all ranks, if the part within an odd site cannot be inverted.
  void set_links(const Links& links, const Hops& hops, workload::Listener& listener);
  void set_manner(const Manner& manner) { hopping_.set_manner(manner); }

  // Applies M or M†.
  void apply(bool dagger, const Field<Real>& from, Field<Real>& result,
             workload::Listener& listener);
  // Applies D or D† to both parities; the result has one parity.
  void full(int to, bool dagger, const Field<Real>& same, const Field<Real>& other,
            Field<Real>& result, workload::Listener& listener);
  // Computes b_e + H_eo A_oo⁻¹ b_o / 2, the right-hand side of M x_e = …
  void prepare(const Field<Real>& even, const Field<Real>& odd, Field<Real>& result,
               workload::Listener& listener);
  // Computes x_o = A_oo⁻¹ (b_o + H_oe x_e / 2).
  void reconstruct(const Field<Real>& odd, const Field<Real>& solution, Field<Real>& result,
                   workload::Listener& listener);
  // Computes b_e - (D x)_e; the residual of the odd sites vanishes by their construction.
  void residual(const Field<Real>& even, const std::array<Field<Real>, 2>& solution,
                Field<Real>& result, workload::Listener& listener);

  const HaloHopping<Real>& hopping() const { return hopping_; }
  int threads() const { return threads_; }
  const QuarkAction& action() const { return action_; }
  // Bounds of |A_oo⁻¹| and |M|.
  double largest_inverse() const { return largest_inverse_; }
  double largest() const {
    const double hop = action_.largest_hop();
    return action_.largest_local() + 0.25 * hop * hop * largest_inverse_;
  }

 private:
  // result = factor add + A from, or with the inverse of A on odd sites. `result` may be `add` or
  // `from`.
  struct Local {
    int parity;
    bool inverse, dagger;
  };
  void local(const Local& what, const Field<Real>& from, double factor, const Field<Real>* add,
             Field<Real>& result, workload::Listener& listener) const;
  template <int Lanes>
  void local_lanes(const Local& what, const Real* from, double factor, const Real* add,
                   Real* result) const;
  // result = a + b/2; `result` may be either.
  void add_half(const Field<Real>& a, const Field<Real>& b, Field<Real>& result,
                workload::Listener& listener) const;
  void make_blocks();
  bool make_block(const Links& links, const Extents& at);

  QuarkAction action_;
  int threads_;
  HaloHopping<Real> hopping_;
  double largest_inverse_;
  parallel::Buffer<Real> blocks_[2], odd_inverse_;  // [vector][chirality][36][lane]
  Field<Real> odd_, other_;
};

}  // namespace phasewise::qcd
