// The Dirac operator of Wilson quarks with clover term, anisotropy and twisted mass,
//   D = A - H/2,  A = m + iµγ₅ + clover term,
// and its even-odd form on even sites, M = A_ee - H_eo A_oo⁻¹ H_oe / 4. H is the hopping matrix.
#pragma once

#include <array>
#include <memory>

#include "lattice/hopping.hpp"
#include "lattice/outside.hpp"
#include "lattice/site_blocks.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::lattice {

struct QuarkAction {
  double mass = 0.0;  // m₀
  double anisotropy = 1.0, velocity = 1.0;
  double clover_spatial = 0.0, clover_temporal = 0.0;
  double twisted_mass = 0.0;

  double diagonal() const { return mass + 1.0 + 3.0 * velocity / anisotropy; }
  std::array<double, axes> weights() const {
    const double space = velocity / anisotropy;
    return {space, space, space, 1.0};
  }
  bool clover() const { return clover_spatial != 0.0 || clover_temporal != 0.0; }
  std::array<double, planes> plane_weights() const {
    const double space = clover_spatial / anisotropy, time = clover_temporal;
    return {space, space, time, space, time, time};
  }
};

// An operator on fields of one parity, as solvers take it.
template <class Real>
class FieldOperator {
 public:
  virtual ~FieldOperator() = default;
  virtual void apply(bool dagger, const Real* from, Real* result) = 0;
  virtual std::int64_t reals() const = 0;
  virtual int lanes() const = 0;
  virtual int threads() const = 0;
};

template <class Real>
class Dirac final : public FieldOperator<Real> {
 public:
  // The links have their factors in them; strength: F, [site][plane][3][3][re, im] with x fastest,
  // read with a clover term alone. Throws std::domain_error, with the site, where the part within
  // an odd site cannot be inverted.
  Dirac(Kernel kernel, const HoppingShape& shape, const QuarkAction& action, const double* links,
        const double* before, const double* strength, Outside& outside);

  // M or M†.
  void apply(bool dagger, const Real* from, Real* result) override;
  std::int64_t reals() const override { return hopping_->field_reals(); }
  int lanes() const override { return hopping_->lanes(); }
  int threads() const override { return hopping_->shape().threads; }

  // D or D† from both parities to one.
  void full(int to, bool dagger, const Real* same, const Real* other, Real* result);
  // b_e + H_eo A_oo⁻¹ b_o / 2: the right-hand side of M x_e = …
  void prepare(const Real* even, const Real* odd, Real* result);
  // x_o = A_oo⁻¹ (b_o + H_oe x_e / 2).
  void reconstruct(const Real* odd, const Real* solution, Real* result);

  const Hopping<Real>& hopping() const { return *hopping_; }

 private:
  void hop(int to, bool dagger, const Real* from, Real* result);
  // result = A from + factor add, or with the inverse of A on odd sites; result may be add.
  void local(int parity, bool inverse, bool dagger, const Real* from, double factor,
             const Real* add, Real* result) const;
  template <int Lanes>
  void local_lanes(int parity, bool inverse, bool dagger, const Real* from, double factor,
                   const Real* add, Real* result) const;
  void make_blocks(const double* strength);

  QuarkAction action_;
  Outside& outside_;
  std::unique_ptr<Hopping<Real>> hopping_;
  parallel::Buffer<Real> blocks_[2], odd_inverse_;  // [vector][chirality][36][lane]
  parallel::Buffer<Real> odd_, other_;
};

}  // namespace phasewise::lattice
