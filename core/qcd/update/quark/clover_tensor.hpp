// How an action changes with the field strengths of the clover term: six anti-Hermitian matrices T
// a site, one for each plane, with δS = Σ Re tr T δF. Where δS = -2 Re Σ tr K δA within a site,
//   T = c (t - t†)/2,  t = tr_spin γ_µ γ_ν K,
// c being the coefficient of the plane.
#pragma once

#include <vector>

#include "qcd/dirac/dirac.hpp"
#include "qcd/exchange/halo_box.hpp"
#include "qcd/update/momenta.hpp"
#include "qcd/update/quark/quark_force.hpp"

namespace phasewise::qcd {

class CloverTensor {
 public:
  // The tensor is [site of the box][plane]. Fields and box must outlive it.
  CloverTensor(const UpdateFields& fields, const HaloBox& box, const QuarkAction& action);

  // K = factor X Y†, on odd sites times odd_factor. `determinant` adds that of -log det (A A†) on
  // odd sites, K = A (A² + µ²)⁻¹.
  void set(const SpinorSites& sites, const SpinorPair& x, const SpinorPair& y, double factor,
           double odd_factor, const CloverTerm<double>* determinant, Matrix* tensor,
           workload::Listener& listener) const;

 private:
  template <int Lanes, class F>
  void for_vectors(const SpinorSites& sites, Matrix* tensor, F&& spin_matrices) const;

  const UpdateFields& fields_;
  QuarkAction action_;
  std::vector<std::int64_t> places_;  // of the rank's sites in the tensor, in matrices
};

}  // namespace phasewise::qcd
