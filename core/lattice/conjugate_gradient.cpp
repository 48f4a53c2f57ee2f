#include "lattice/conjugate_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "parallel/large_pages.hpp"

namespace phasewise::lattice {
namespace {

// The residual is made anew once it has fallen by this factor: single precision has seven digits.
constexpr double reliable_fall = 0.05;

template <class Real>
parallel::Buffer<Real> zeros(std::int64_t reals) {
  parallel::Buffer<Real> field(reals);
  parallel::prefer_large_pages(field.data(), static_cast<std::size_t>(reals) * sizeof(Real));
  std::fill_n(field.data(), reals, Real{0});
  return field;
}

// r = b - M†M x.
template <class Real>
void true_residual(FieldOperator<Real>& matrix, const FieldShape<Real>& shape, const Real* b,
                   const Real* x, Real* between, Real* r) {
  matrix.apply(false, x, between);
  matrix.apply(true, between, r);
  shape.combine(b, Real(-1), r, r);
}

}  // namespace

template <class Real>
ConjugateGradient<Real>::ConjugateGradient(FieldOperator<Real>& matrix, double all_sites,
                                           Outside& outside)
    : matrix_(matrix),
      outside_(outside),
      shape_{matrix.reals(), matrix.lanes(), matrix.threads(), all_sites} {
  for (parallel::Buffer<Real>* field : {&x_, &r_, &p_, &q_, &z_})
    *field = zeros<Real>(matrix.reals());
}

template <class Real>
double ConjugateGradient<Real>::norm(const Real* field) {
  const auto pass = [&](double bound) { return shape_.norm(field, bound); };
  return other_(outside_, pass, pass);
}

template <class Real>
void ConjugateGradient<Real>::clear_solution() {
  std::fill_n(x_.data(), x_.size(), Real{0});
}

template <class Real>
void ConjugateGradient<Real>::start() {
  clear_solution();
  std::copy_n(r_.data(), r_.size(), p_.data());
  const auto pass = [&](double bound) { return shape_.norm(r_.data(), bound); };
  squared_ = residual_(outside_, pass, pass);
}

template <class Real>
void ConjugateGradient<Real>::iterate(bool turned) {
  matrix_.apply(false, p_.data(), q_.data());
  const auto curve = [&](double bound) { return shape_.norm(q_.data(), bound); };
  const double curvature = curvature_(outside_, curve, curve);
  matrix_.apply(true, q_.data(), z_.data());
  const auto alpha = static_cast<Real>(curvature > 0.0 ? squared_ / curvature : 0.0);
  before_ = squared_;
  squared_ = residual_(
      outside_,
      [&](double bound) {
        return shape_.advance(alpha, p_.data(), z_.data(), x_.data(), r_.data(), bound);
      },
      [&](double bound) { return shape_.norm(r_.data(), bound); });
  if (turned) turn(squared_);
}

template <class Real>
void ConjugateGradient<Real>::turn(double squared) {
  squared_ = squared;
  const auto beta = static_cast<Real>(before_ > 0.0 ? squared_ / before_ : 0.0);
  shape_.combine(r_.data(), beta, p_.data(), p_.data());
}

template <class Real>
SolverResult solve(FieldOperator<Real>& matrix, double all_sites, Outside& outside,
                   const SolverSettings& settings, const Real* b, Real* x) {
  ConjugateGradient<Real> cg(matrix, all_sites, outside);
  std::copy_n(b, matrix.reals(), cg.r());
  cg.start();
  SolverResult result;
  const double scale = cg.squared(), goal = settings.tolerance * settings.tolerance * scale;
  while (result.iterations < settings.iterations && cg.squared() > goal) {
    cg.iterate();
    ++result.iterations;
    result.history.push_back(std::sqrt(cg.squared() / scale));
  }
  std::copy_n(cg.x(), matrix.reals(), x);
  parallel::Buffer<Real> between = zeros<Real>(matrix.reals());
  true_residual(matrix, cg.shape(), b, x, between.data(), cg.r());
  result.converged = cg.squared() <= goal;
  result.residual = scale > 0.0 ? std::sqrt(cg.norm(cg.r()) / scale) : 0.0;
  return result;
}

SolverResult solve_mixed(FieldOperator<double>& matrix, FieldOperator<float>& single,
                         const ToDouble& to_double, const ToSingle& to_single, double all_sites,
                         Outside& outside, const SolverSettings& settings, const double* b,
                         double* x) {
  const std::int64_t reals = matrix.reals();
  const FieldShape<double> shape{reals, matrix.lanes(), matrix.threads(), all_sites};
  parallel::Buffer<double> r = zeros<double>(reals), between = zeros<double>(reals),
                           step = zeros<double>(reals);
  RememberedSum residual("sum_residual");
  const auto norm = [&](double bound) { return shape.norm(r.data(), bound); };
  ConjugateGradient<float> cg(single, all_sites, outside);
  std::fill_n(x, reals, 0.0);
  std::copy_n(b, reals, r.data());
  double squared = residual(outside, norm, norm);
  const double scale = squared, goal = settings.tolerance * settings.tolerance * scale;
  to_single(r.data(), cg.r());
  cg.start();
  SolverResult result;
  double largest = squared;
  while (result.iterations < settings.iterations && squared > goal) {
    cg.iterate(false);
    ++result.iterations;
    result.history.push_back(std::sqrt(cg.squared() / scale));
    largest = std::max(largest, cg.squared());
    const bool last = result.iterations == settings.iterations;
    if (cg.squared() > std::max(goal, reliable_fall * reliable_fall * largest) && !last) {
      cg.turn(cg.squared());
      continue;
    }
    to_double(cg.x(), step.data());
    shape.combine(x, 1.0, step.data(), x);
    true_residual(matrix, shape, b, x, between.data(), r.data());
    squared = largest = residual(outside, norm, norm);
    to_single(r.data(), cg.r());
    cg.clear_solution();
    cg.turn(squared);
  }
  result.converged = squared <= goal;
  result.residual = scale > 0.0 ? std::sqrt(squared / scale) : 0.0;
  return result;
}

template class ConjugateGradient<double>;
template class ConjugateGradient<float>;
template SolverResult solve<double>(FieldOperator<double>&, double, Outside&, const SolverSettings&,
                                    const double*, double*);
template SolverResult solve<float>(FieldOperator<float>&, double, Outside&, const SolverSettings&,
                                   const float*, float*);

}  // namespace phasewise::lattice
