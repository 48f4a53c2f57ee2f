#include "qcd/solver/stabilised_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/complex_product.hpp"
#include "qcd/phases.hpp"
#include "workload/bounded_sums.hpp"

namespace phasewise::qcd {
namespace {

// The least cosine of the angle between s and t with which a step is taken.
constexpr double least_cosine = 0.7;

// One item is a site of one parity. `fields` is the number of spinors read and written.
template <class Real>
constexpr parallel::KernelCard pass_card(const char* name, double flops, double fields) {
  return {.name = name,
          .flops = flops,
          .bytes = fields * spinor_reals * sizeof(Real),
          .vectorised = true};
}

template <class Real, int Lanes>
ComplexOf<Vector<Real, Lanes>> everywhere(std::complex<double> value) {
  return {all_lanes<Real, Lanes>(static_cast<Real>(value.real())),
          all_lanes<Real, Lanes>(static_cast<Real>(value.imag()))};
}

// A pass that only changes fields and has no sum.
template <class Real, class F>
void pass(const FieldShape<Real>& shape, F&& change) {
  parallel::with_lanes<Real>(shape.lanes, [&]<int Lanes>() {
    parallel::for_blocks(shape.reals / 2 / Lanes, shape.threads,
                         [&](std::int64_t begin, int n, int) {
                           for (std::int64_t i = begin; i < begin + n; ++i)
                             change.template operator()<Lanes>(2 * i * Lanes);
                         });
  });
}

}  // namespace

template <class Real>
StabilisedGradient<Real>::StabilisedGradient(Dirac<Real>& matrix, Sums sums)
    : Base(matrix, sums),
      shadow_(Base::field()),
      p_(Base::field()),
      v_(Base::field()),
      t_(Base::field()) {}

// The shadow residual is the residual at the start.
template <class Real>
void StabilisedGradient<Real>::begin(bool again, workload::Listener& listener) {
  if (again) return go_on(listener);
  std::copy_n(r_.data(), r_.size(), shadow_.data());
  p_length_ = v_length_ = 0.0;
  shadow_length_ = std::sqrt(squared_);
  rho_ = squared_;
  beta_ = omega_ = 0.0;
}

// The product of the shadow and r, and with it β, become those of the recomputed r.
template <class Real>
void StabilisedGradient<Real>::go_on(workload::Listener& listener) {
  const double most = shadow_length_ * std::sqrt(squared_);
  const auto [re, im] = workload::bounded_sums<2>(
      phases::sum_residual, pass_card<Real>("products", 96.0, 2.0), Base::sites(), {most, most},
      sums_, listener, [&](const Bounds<2>& bounds) {
        return Base::shape().template sums<2>(bounds, [&]<int Lanes>(std::int64_t i) {
          const auto dot = site_product<Real, Lanes>(shadow_.data() + i, r_.data() + i);
          return std::array{dot.re, dot.im};
        });
      });
  const Complex rho(re, im);
  beta_ = std::abs(rho_) > 0.0 ? numerics::complex_product(beta_, rho / rho_) : Complex{};
  rho_ = rho;
}

// p = r + β (p - ω v).
template <class Real>
void StabilisedGradient<Real>::turn(workload::Listener& listener) {
  listener.kernel(pass_card<Real>("turn", 192.0, 4.0), Base::sites(), [&] {
    pass(Base::shape(), [&]<int Lanes>(std::int64_t i) {
      const auto minus_omega = everywhere<Real, Lanes>(-omega_);
      const auto beta = everywhere<Real, Lanes>(beta_);
      const auto kept = added(load_complex<Real, Lanes>(p_.data() + i), minus_omega,
                              load_complex<Real, Lanes>(v_.data() + i));
      store_complex<Real, Lanes>(p_.data() + i,
                                 added(load_complex<Real, Lanes>(r_.data() + i), beta, kept));
    });
  });
  p_length_ = std::sqrt(squared_) + std::abs(beta_) * (p_length_ + std::abs(omega_) * v_length_);
}

// The product of the shadow and v. The lengths of p and v are computed first, which bound what
// follows.
template <class Real>
std::complex<double> StabilisedGradient<Real>::direction(workload::Listener& listener) {
  const double v_most = matrix_.largest() * p_length_;
  const double product = shadow_length_ * v_most;
  const auto [re, im, v, p] = workload::bounded_sums<4>(
      phases::sum_direction, pass_card<Real>("products", 192.0, 3.0), Base::sites(),
      {product, product, v_most * v_most, p_length_ * p_length_}, sums_, listener,
      [&](const Bounds<4>& bounds) {
        return Base::shape().template sums<4>(bounds, [&]<int Lanes>(std::int64_t i) {
          const auto dot = site_product<Real, Lanes>(shadow_.data() + i, v_.data() + i);
          return std::array{dot.re, dot.im, site_norm<Real, Lanes>(v_.data() + i),
                            site_norm<Real, Lanes>(p_.data() + i)};
        });
      });
  v_length_ = std::sqrt(v);
  p_length_ = std::sqrt(p);
  return {re, im};
}

// r becomes s = r - α v.
template <class Real>
void StabilisedGradient<Real>::half_step(Complex alpha, workload::Listener& listener) {
  listener.kernel(pass_card<Real>("half_step", 96.0, 3.0), Base::sites(), [&] {
    pass(Base::shape(), [&]<int Lanes>(std::int64_t i) {
      store_complex<Real, Lanes>(r_.data() + i, added(load_complex<Real, Lanes>(r_.data() + i),
                                                      everywhere<Real, Lanes>(-alpha),
                                                      load_complex<Real, Lanes>(v_.data() + i)));
    });
  });
  s_length_ = std::sqrt(squared_) + std::abs(alpha) * v_length_;
}

// ω = t* s / |t|². If s and t are almost orthogonal, the product of the shadow and r becomes so
// small that single precision loses it; the step is then longer (Sleijpen, van der Vorst, Numer.
// Algorithms 10 (1995) 203).
template <class Real>
std::complex<double> StabilisedGradient<Real>::step(workload::Listener& listener) {
  constexpr int number = lengthens ? 4 : 3;
  const double t_most = matrix_.largest() * s_length_;
  Bounds<number> most{t_most * s_length_, t_most * s_length_, t_most * t_most};
  if constexpr (lengthens) most[3] = s_length_ * s_length_;
  const auto found = workload::bounded_sums<number>(
      phases::sum_step, pass_card<Real>("products", 48.0 * number, 2.0), Base::sites(), most, sums_,
      listener, [&](const Bounds<number>& bounds) {
        return Base::shape().template sums<number>(bounds, [&]<int Lanes>(std::int64_t i) {
          const auto dot = site_product<Real, Lanes>(t_.data() + i, r_.data() + i);
          const auto t = site_norm<Real, Lanes>(t_.data() + i);
          if constexpr (lengthens)
            return std::array{dot.re, dot.im, t, site_norm<Real, Lanes>(r_.data() + i)};
          else
            return std::array{dot.re, dot.im, t};
        });
      });
  const Complex product(found[0], found[1]);
  t_length_ = std::sqrt(found[2]);
  if (!(found[2] > 0.0)) return {};
  const Complex omega = product / found[2];
  if constexpr (lengthens) {
    s_length_ = std::sqrt(found[3]);
    const double cosine = std::abs(product) / (s_length_ * t_length_);
    if (cosine > 0.0 && cosine < least_cosine) return omega * (least_cosine / cosine);
  }
  return omega;
}

// x += α p + ω s; r = s - ω t.
template <class Real>
void StabilisedGradient<Real>::advance(Complex alpha, Complex omega, workload::Listener& listener) {
  const double most = s_length_ + std::abs(omega) * t_length_;
  const auto [re, im, next] = workload::bounded_sums<3>(
      phases::sum_residual, pass_card<Real>("advance", 432.0, 7.0), Base::sites(),
      {shadow_length_ * most, shadow_length_ * most, most * most}, sums_, listener,
      [&](const Bounds<3>& bounds) {
        return Base::shape().template sums<3>(bounds, [&]<int Lanes>(std::int64_t first) {
          const auto a = everywhere<Real, Lanes>(alpha), w = everywhere<Real, Lanes>(omega);
          const auto back = everywhere<Real, Lanes>(-omega);
          for (std::int64_t i = first; i < first + spinor_reals * Lanes; i += 2 * Lanes) {
            const auto s = load_complex<Real, Lanes>(r_.data() + i);
            const auto moved = added(load_complex<Real, Lanes>(x_.data() + i), a,
                                     load_complex<Real, Lanes>(p_.data() + i));
            store_complex<Real, Lanes>(x_.data() + i, added(moved, w, s));
            store_complex<Real, Lanes>(r_.data() + i,
                                       added(s, back, load_complex<Real, Lanes>(t_.data() + i)));
          }
          const auto dot = site_product<Real, Lanes>(shadow_.data() + first, r_.data() + first);
          return std::array{dot.re, dot.im, site_norm<Real, Lanes>(r_.data() + first)};
        });
      });
  grown_ += std::abs(alpha) * p_length_ + std::abs(omega) * s_length_;
  squared_ = next;
  const Complex rho(re, im);
  // If the shadow has become orthogonal to the residual, the method starts anew.
  beta_ = std::abs(rho_) > 0.0 && std::abs(omega) > 0.0
              ? numerics::complex_product(rho / rho_, alpha / omega)
              : Complex{};
  rho_ = rho;
  omega_ = omega;
}

template <class Real>
void StabilisedGradient<Real>::iterate(workload::Listener& listener) {
  turn(listener);
  matrix_.apply(false, p_, v_, listener);
  const Complex product = direction(listener);
  const Complex alpha = std::abs(product) > 0.0 ? rho_ / product : Complex{};
  half_step(alpha, listener);
  matrix_.apply(false, r_, t_, listener);
  const Complex omega = step(listener);
  advance(alpha, omega, listener);
}

template class StabilisedGradient<double>;
template class StabilisedGradient<float>;

}  // namespace phasewise::qcd
