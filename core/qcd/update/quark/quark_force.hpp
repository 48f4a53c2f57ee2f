// The part of the quarks' force that comes from the hopping matrix. Where S changes by
//   δS = -2 b Re Y† δD X,  D = A - H/2,
// the force of a link U_µ(x), whose phase of the boundary is c, is
//   F = -(b/2) TA(c U_µ(x) G),
//   G = Σ_spin (1 - γ_µ) X(x + µ̂) Y†(x) + (1 + γ_µ) Y(x + µ̂) X†(x),
// TA being the traceless anti-Hermitian part: the derivative of S by Gell-Mann's matrices.
#pragma once

#include <array>

#include "qcd/dirac/halo_hopping.hpp"
#include "qcd/update/momenta.hpp"
#include "qcd/update/quark/spinor_sites.hpp"

namespace phasewise::qcd {

// Of both parities.
struct SpinorPair {
  const Field<double>* even;
  const Field<double>* odd;
  const double* data(int parity) const { return parity == 0 ? even->data() : odd->data(); }
};

class QuarkForce {
 public:
  // `phases` are those of the boundary, units of π. The fields must outlive it.
  QuarkForce(const UpdateFields& fields, const std::array<double, axes>& phases);

  exchange::Exchanges exchanges() const { return along_; }
  // Sets `to` to F with -b/2 = factor, the fields in the order of the hopping matrix, whose
  // sites are `sites`. Collective.
  void set(const HaloHopping<double>& hopping, const SpinorSites& sites, const SpinorPair& x,
           const SpinorPair& y, double factor, Momenta& to, workload::Listener& listener);

 private:
  struct Face {
    std::int64_t sites = 0, leaves = 0, arrives = 0;  // places in memory_, in bytes
  };
  void fetch(const HaloHopping<double>& hopping, const SpinorPair& x, const SpinorPair& y,
             workload::Listener& listener);

  const UpdateFields& fields_;
  std::array<std::array<double, 2>, axes> boundary_{};
  std::array<Face, axes> faces_;
  exchange::Exchanges along_;  // along each axis; null along one that is not split
  std::int64_t bytes_ = 0;
  parallel::Buffer<std::byte> memory_;
};

}  // namespace phasewise::qcd
