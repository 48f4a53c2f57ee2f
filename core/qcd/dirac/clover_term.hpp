// The blocks of the clover term on a rank's sites, and their inverses on odd sites, in the order of
// the hopping matrix's fields.
#pragma once

#include <optional>

#include "parallel/buffer.hpp"
#include "qcd/dirac/hopping.hpp"
#include "qcd/dirac/quark_action.hpp"
#include "qcd/gauge/lane_matrices.hpp"

namespace phasewise::qcd {

// One item is a site.
parallel::KernelCard clover_blocks_card();   // CloverTerm::make
parallel::KernelCard clover_convert_card();  // CloverTerm::convert

template <class Real>
class CloverTerm {
 public:
  // Makes the blocks on these links, which have the kernel's lanes. Only in double precision.
  void make(const QuarkAction& action, const Domain& domain, const LaneMatrices& links,
            const Hopping<Real>& kernel);
  // Takes the blocks of double precision.
  void convert(const CloverTerm<double>& other, const Hopping<double>& before,
               const Hopping<Real>& kernel);

  // [vector][chirality][36][lane]: A without the twisted mass, and on odd sites the inverse of A,
  // or of A² + µ² with a twisted mass.
  const Real* blocks(int parity) const { return blocks_[parity].data(); }
  const Real* odd_inverse() const { return odd_inverse_.data(); }
  // Of an odd site, |det A|² or (det (A² + µ²))², by vector and lane.
  const double* squared_determinants() const { return determinants_.data(); }
  // A bound of |A_oo⁻¹| on this rank.
  double largest_inverse() const { return largest_inverse_; }
  // A site of the lattice whose block has no inverse.
  std::optional<std::int64_t> singular() const { return singular_; }

 private:
  void allocate(const Hopping<Real>& kernel);

  parallel::Buffer<Real> blocks_[2], odd_inverse_;
  parallel::Buffer<double> determinants_;
  double largest_inverse_ = 0.0;
  std::optional<std::int64_t> singular_;
};

}  // namespace phasewise::qcd
