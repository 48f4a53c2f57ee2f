#include "qcd/solver/conjugate_gradient.hpp"

#include <cmath>

#include "qcd/phases.hpp"
#include "workload/bounded_sums.hpp"

namespace phasewise::qcd {
namespace {

constexpr double single_of(std::size_t real) { return static_cast<double>(real) / 8.0; }

// One item is a site of one parity; a spinor has 24 reals, 192 B in double precision.
template <class Real>
inline constexpr parallel::KernelCard norm_card{
    .name = "norm", .flops = 48.0, .bytes = 192.0 * single_of(sizeof(Real)), .vectorised = true};
// With a shift, p is read too.
template <class Real>
inline constexpr parallel::KernelCard shifted_norm_card{
    .name = "norm",
    .flops = 97.0,
    .bytes = 2.0 * 192.0 * single_of(sizeof(Real)),
    .vectorised = true};
// Reads x, r, p and the product, and writes x and r.
template <class Real>
inline constexpr parallel::KernelCard update_card{.name = "update",
                                                  .flops = 144.0,
                                                  .bytes = 6.0 * 192.0 * single_of(sizeof(Real)),
                                                  .vectorised = true};
template <class Real>
inline constexpr parallel::KernelCard turn_card{.name = "combine",
                                                .flops = 48.0,
                                                .bytes = 3.0 * 192.0 * single_of(sizeof(Real)),
                                                .vectorised = true};

}  // namespace

template <class Real>
ConjugateGradient<Real>::ConjugateGradient(Dirac<Real>& matrix, Sums sums)
    : Base(matrix, sums), p_(Base::field()), q_(Base::field()), z_(Base::field()) {}

template <class Real>
void ConjugateGradient<Real>::begin(bool again, workload::Listener& /*listener*/) {
  begins_ = !again;
}

// Computes p = r + β p.
template <class Real>
void ConjugateGradient<Real>::turn(double beta, workload::Listener& listener) {
  listener.kernel(turn_card<Real>, Base::sites(), [&] {
    Base::shape().combine(r_.data(), static_cast<Real>(beta), p_.data(), p_.data());
  });
  length_ = std::sqrt(squared_) + beta * length_;
}

// p·(M†M + µ²) p = |q|² + µ² |p|².
template <class Real>
double ConjugateGradient<Real>::squared_curvature(workload::Listener& listener) {
  const double factor = matrix_.largest(), most = factor * length_;
  if (shift_ == 0.0) {
    const auto [curvature] = workload::bounded_sums<1>(
        phases::sum_curvature, norm_card<Real>, Base::sites(), {most * most}, sums_, listener,
        [&](const Bounds<1>& bound) { return Base::shape().norm(q_.data(), bound); });
    return curvature;
  }
  const auto [curvature] = workload::bounded_sums<1>(
      phases::sum_curvature, shifted_norm_card<Real>, Base::sites(),
      {most * most + shift_ * length_ * length_}, sums_, listener, [&](const Bounds<1>& bound) {
        return Base::shape().shifted_norm(q_.data(), static_cast<Real>(shift_), p_.data(), bound);
      });
  return curvature;
}

// p is updated only when it is needed, because a recomputed residual may have replaced r by then.
template <class Real>
void ConjugateGradient<Real>::iterate(workload::Listener& listener) {
  const double sites = Base::sites(), factor = matrix_.largest();
  if (begins_) length_ = 0.0;
  turn(begins_ || before_ <= 0.0 ? 0.0 : squared_ / before_, listener);
  begins_ = false;
  matrix_.apply(false, p_, q_, listener);
  const double curvature = squared_curvature(listener);
  matrix_.apply(true, q_, z_, listener);
  const auto alpha = static_cast<Real>(curvature > 0.0 ? squared_ / curvature : 0.0);
  // |q| ≤ √c and µ |p| ≤ √c, if c is the curvature.
  const double largest =
      std::sqrt(squared_) + alpha * (factor + std::sqrt(shift_)) * std::sqrt(curvature);
  before_ = squared_;
  const auto [next] = workload::bounded_sums<1>(
      phases::sum_residual, update_card<Real>, sites, {largest * largest}, sums_, listener,
      [&](const Bounds<1>& bound) {
        return Base::shape().advance(alpha, static_cast<Real>(shift_), p_.data(), z_.data(),
                                     x_.data(), r_.data(), bound);
      });
  grown_ += alpha * length_;
  squared_ = next;
}

template class ConjugateGradient<double>;
template class ConjugateGradient<float>;

}  // namespace phasewise::qcd
