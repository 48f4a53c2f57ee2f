// The Dirac operator D = A - H/2 on a rank's part of the lattice, and its even-odd form on even
// sites, M = A_ee - H_eo A_oo⁻¹ H_oe / 4.
#pragma once

#include <array>
#include <optional>

#include "qcd/dirac/clover_term.hpp"
#include "qcd/dirac/halo_hopping.hpp"
#include "qcd/dirac/quark_action.hpp"

namespace phasewise::qcd {

template <class Real>
class Dirac {
 public:
  // `real` says whether it has memory. The position must outlive it.
  Dirac(const Position& position, const QuarkAction& action, const Manner& manner, int threads,
        bool real);

  // Takes the links, which need their halo, with its corners for a clover term. Collective with a
  // clover term, whose blocks come from `precise` if it is given.
  void set_links(const Hops& hops, workload::Listener& listener,
                 const Dirac<double>* precise = nullptr);
  // `precise` is the matrix of double precision that has this manner already.
  void set_manner(const Manner& manner, const Dirac<double>* precise = nullptr);
  // A site of the lattice, the same on all ranks, whose part of an odd site cannot be inverted.
  std::optional<std::int64_t> singular() const { return singular_; }

  // Applies M or M†.
  void apply(bool dagger, const Field<Real>& from, Field<Real>& result,
             workload::Listener& listener);
  // The same, and `odd` gets what it was made from on odd sites: odd_factor() times it is A⁻¹ H/2,
  // or its adjoint, of `from`.
  void apply(bool dagger, const Field<Real>& from, Field<Real>& odd, Field<Real>& result,
             workload::Listener& listener);
  void odd_part(bool dagger, const Field<Real>& from, Field<Real>& odd,
                workload::Listener& listener);
  double odd_factor() const { return action_.number() ? 0.5 / action_.diagonal() : 0.5; }
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
  const CloverTerm<Real>& clover() const { return clover_; }
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
  void make_clover(const Dirac<double>* precise);

  QuarkAction action_;
  int threads_;
  HaloHopping<Real> hopping_;
  double largest_inverse_;
  std::optional<std::int64_t> singular_;
  Hops hops_;
  CloverTerm<Real> clover_;
  Field<Real> odd_, other_;
};

}  // namespace phasewise::qcd
